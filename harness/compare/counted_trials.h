// SPDX-License-Identifier: Apache-2.0
// Which trials count, and what they say about one metric in two arms.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/trial.h"

namespace sglexp {

// The trials of an arm at a load point that may enter a comparison: status kOk and outcome kPassed,
// of each slot the latest attempt, ordered by block and slot. The pointers live as long as `trials`.
[[nodiscard]] std::vector<const TrialRecord*> counted_trials(std::span<const TrialRecord> trials,
                                                             std::string_view arm,
                                                             std::string_view load_point);

// "8 trials: 6 infra_failed, 2 discarded", or "no trials at all".
[[nodiscard]] std::string describe_trials(std::span<const TrialRecord> trials, std::string_view arm,
                                          std::string_view load_point);

using CountedTrials = std::vector<const TrialRecord*>;

// The values of one metric in a base and another arm at one load point.
struct MetricSample {
  std::string unit;
  Direction direction = Direction::kNone;
  bool found = false;       // some trial names the metric
  std::string mismatch;     // trials that disagree on unit or direction: not comparable
  std::string missing;      // why a counted trial had no value, if one had none
  int blocks_left_out = 0;  // paired: blocks with a value in one arm only
  // Paired: block values in the same block order, each the mean over the arm's slots in the block.
  // Unpaired: one value a trial.
  std::vector<double> base;
  std::vector<double> candidate;
};
[[nodiscard]] MetricSample collect_metric(const CountedTrials& base, const CountedTrials& candidate,
                                          std::string_view metric, bool paired);

// Whether some block has counted trials of both arms.
[[nodiscard]] bool share_a_block(const CountedTrials& base, const CountedTrials& candidate);

}  // namespace sglexp
