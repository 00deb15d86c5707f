// SPDX-License-Identifier: Apache-2.0
// Slow drift of a series.
#pragma once

#include <optional>
#include <span>

namespace sglexp {

struct Trend {
  double slope = 0;      // per step, median of all pairwise slopes (Theil-Sen)
  double intercept = 0;  // at index 0: median of value - slope * index
  double s = 0;          // Mann-Kendall: rises minus falls over all pairs
  double p = 1;          // two-sided, normal with tie and continuity correction
};
// Values at equal steps. Empty below 4 values, where p could never be small, and for values that
// are not finite. O(n^2).
[[nodiscard]] std::optional<Trend> trend(std::span<const double> series);

}  // namespace sglexp
