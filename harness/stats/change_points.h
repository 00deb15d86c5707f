// SPDX-License-Identifier: Apache-2.0
// Where a nightly series changed its level. Energy statistic Q(tau, kappa) (harness/stats/energy.h)
// with a seeded permutation test, so the same series always gives the same answer; then a filter on
// the size of the change; then slow drift is told apart from steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/scale.h"

namespace sglexp {

struct ChangePointOptions {
  double alpha = 0.01;
  int permutations = 999;
  std::size_t min_segment = 3;        // nights on each side: a lone spike is not a level
  double min_relative_change = 0.02;  // of the medians on both sides; the metric's margin if larger
  double outlier_threshold = 4;       // robust standard deviations from the local level
};

struct ChangePoint {
  std::size_t index = 0;  // first night of the new level, from 0
  double before = 0;      // median of the segment before, in the metric's unit
  double after = 0;
  std::optional<double> relative;  // after / before - 1; empty where before is 0
  double p = 1;                    // (c + 1) / (permutations + 1)
};

// A trend over nights begin .. end-1, reported instead of the steps it would be cut into.
struct Drift {
  std::size_t begin = 0;
  std::size_t end = 0;
  double per_night = 0;  // relative change a night (kLog), or in the metric's unit (kLinear)
  double p = 1;          // Mann-Kendall
};

struct SeriesChanges {
  bool insufficient_data =
      false;  // fewer than two segments' worth of nights: nothing was looked for
  Scale scale = Scale::kLog;
  std::vector<ChangePoint> points;    // by index
  std::vector<Drift> drifts;          // by begin, not overlapping
  std::vector<std::size_t> outliers;  // single nights far from their level
};

// `series` is one value a night, oldest first; derive `seed` from the name of the series. A series
// with a value that is not finite counts as insufficient. A constant series has no changes.
// Each step found costs permutations * n^2 / 2; a series without any stops after a few
// permutations.
[[nodiscard]] SeriesChanges find_changes(std::span<const double> series, std::uint64_t seed,
                                         const ChangePointOptions& options = {});

}  // namespace sglexp
