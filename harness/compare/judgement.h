// SPDX-License-Identifier: Apache-2.0
// From numbers to a word. A p-value alone never says "worse": that takes significance, an effect at
// or over the margin, and the direction; "no change" takes an interval inside the margins (two
// one-sided tests, Schuirmann 1987); everything else is inconclusive, with what would decide it.
#pragma once

#include <optional>
#include <string>

#include "harness/record/comparison.h"
#include "harness/stats/intervals.h"

namespace sglexp {

// Effects and interval ends are turned so that above 0 is worse, on natural logarithms, or as a
// share of the base's median where a value is 0 or below.
struct Evidence {
  bool paired = true;
  int n = 0;      // blocks, or trials of the smaller arm
  int tests = 1;  // members of the Holm family
  double alpha = 0.05;
  double p = 1;  // adjusted for the family, where there is one
  double effect = 0;
  bool identical = false;  // every pair, or all values, are equal
  std::optional<Interval> interval95;
  std::optional<Interval> interval90;
  double margin = 0;         // same scale as `effect`; 0: no relative margin exists
  std::optional<double> sd;  // of block differences, or pooled within arms; empty: unknown
  int most_advice = 20;      // more blocks or trials per arm are never advised
};

struct Judgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;            // empty where the verdict says it all
  std::optional<int> more_runs;  // further blocks, or trials per arm
};

// Six pairs and four trials an arm are the fewest that can reach p <= 0.05 at all.
[[nodiscard]] int least_runs(bool paired);

[[nodiscard]] Judgement judge(const Evidence& evidence);

}  // namespace sglexp
