// SPDX-License-Identifier: Apache-2.0
// One metric of two arms: estimate, interval and p first, the family's adjustment next, and the
// verdict last, since it needs the adjusted p.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/counted_trials.h"
#include "harness/compare/judgement.h"
#include "harness/record/comparison.h"

namespace sglexp {

struct Measurement {
  MetricComparison row;
  std::optional<Evidence> evidence;  // empty: there is nothing to judge, the row says why
  std::vector<std::string> notes;    // for the reason, beside the verdict's own
};

struct MeasureOptions {
  bool paired = true;
  double alpha = 0.05;
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// `row` brings names, margin and gate flags; kNoData and kNotComparable are decided here.
[[nodiscard]] Measurement measure(MetricComparison row, const MetricSample& sample,
                                  const MeasureOptions& options);

// Holm over the gates among `rows` (one arm against the base) that can be tested: those without a p
// or with fewer runs than could ever decide are no members.
void adjust_gates(std::vector<Measurement>& rows);

[[nodiscard]] MetricComparison conclude(Measurement measurement);

}  // namespace sglexp
