// SPDX-License-Identifier: Apache-2.0
// What one arm reached by itself at one load point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/trial.h"
#include "harness/report/run_report.h"

namespace sglexp {

struct ArmSummary {
  std::string metric;
  std::string unit;
  Direction direction = Direction::kNone;
  std::string load_point;
  std::string arm;
  int n = 0;                     // blocks with a value
  std::optional<double> median;  // over blocks; a block's value is the mean of its slots
  std::optional<double> ci_low;  // order statistics (stats/intervals.h); none below six blocks
  std::optional<double> ci_high;
  std::optional<double> confidence;  // achieved, at least 0.95
};

// For output throughput and every gated metric, over the trials that count (compare/
// counted_trials.h): by metric, then load point, then arm, each in the order of the scenario.
[[nodiscard]] std::vector<ArmSummary> summarize_arms(const RunReport& report);

// "[1220, 1250] (99.2%)", or why there is none: "no 95% interval: needs 6 blocks, has 4".
[[nodiscard]] std::string interval_note(const ArmSummary& arm);

}  // namespace sglexp
