// SPDX-License-Identifier: Apache-2.0
// Result of comparing two arms (or a baseline and a candidate): made in compare, stored by store,
// worded by report.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/trial.h"

namespace sglexp {

// Between arms these are findings; a gate that fails the run turns kWorse into a regression.
enum class Verdict { kWorse, kBetter, kNoChange, kInconclusive, kNotComparable, kNoData };
[[nodiscard]] std::string_view verdict_name(Verdict verdict);  // worse, better, no_change ...
[[nodiscard]] std::optional<Verdict> parse_verdict(std::string_view name);

struct MetricComparison {
  std::string metric;
  std::string unit;
  Direction direction = Direction::kNone;
  std::string load_point;
  std::string base_arm;
  std::string arm;
  std::string test;            // "sign_flip" (paired blocks) or "mann_whitney" (unpaired)
  std::optional<double> base;  // median over trials
  std::optional<double> candidate;
  // candidate / base, unoriented. Where a value is 0 or below: 1 + shift / median(base), and none
  // where that median is not above 0; the reason then says "linear".
  std::optional<double> ratio;
  std::optional<double> ci_low;  // of the ratio
  std::optional<double> ci_high;
  double confidence_asked = 0.95;
  std::optional<double> confidence_achieved;
  std::optional<double> p;
  std::optional<double> p_adjusted;  // Holm over the gate family
  std::optional<double> a12;
  int n_base = 0;
  int n_candidate = 0;
  double margin = 0;       // relative, 0.03 = 3 %
  bool gate = false;       // in the Holm family
  bool fails_run = false;  // a worse verdict makes the run `regressed`
  Verdict verdict = Verdict::kNoData;
  std::string reason;            // "detectable, below margin", "noise: CV 9 %, need about 59 ..."
  std::optional<int> more_runs;  // further blocks or trials per arm that would resolve it
  // False-positive guard: what was confounded ("nodes") makes the comparison unpaired and marked.
  std::string confounded_with;
};

struct OutputSanity {
  std::string base_arm;
  std::string arm;
  std::string load_point;
  int pairs = 0;  // blocks where both arms have a digest
  int equal = 0;
  std::string note;
};

struct Comparison {
  std::string mode = "arms";
  bool simulated = false;
  bool paired = true;
  std::vector<MetricComparison> metrics;
  std::vector<OutputSanity> output_sanity;
};

}  // namespace sglexp
