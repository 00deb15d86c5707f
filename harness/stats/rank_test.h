// SPDX-License-Identifier: Apache-2.0
// The Mann-Whitney test: does one sample tend to be larger than the other?
#pragma once

#include <optional>
#include <span>

namespace sglexp {

enum class RankMethod {
  kAuto,        // exact up to 100 values together, else asymptotic
  kExact,       // permutation distribution of the mid-ranks, ties and all
  kAsymptotic,  // normal, variance corrected for ties
};

struct RankTest {
  double u_x = 0;  // #{x > y} + #{x = y} / 2 over all pairs
  double u_y = 0;  // m n - u_x
  // min(1, 2 min(p_less, p_greater)): with ties and unequal sizes the distribution is not
  // symmetric, and doubling one fixed tail is wrong.
  double p_two_sided = 1;
  double p_less = 1;     // H1: x tends to be smaller than y
  double p_greater = 1;  // H1: x tends to be larger than y
  double a12 = 0.5;      // P(Y > X) + P(Y = X) / 2 (Vargha & Delaney 2000)
  double tie_term = 0;   // sum over tie groups of t^3 - t
  bool exact = true;
};

struct RankTestOptions {
  RankMethod method = RankMethod::kAuto;
  bool continuity = true;  // asymptotic only: move U by 1/2 towards its mean
};

// x is the base, y the candidate, any order. Empty where a sample is empty or a value is not
// finite. p is never 0: the smallest exact one is 1 / C(m + n, m).
[[nodiscard]] std::optional<RankTest> mann_whitney(std::span<const double> x,
                                                   std::span<const double> y,
                                                   const RankTestOptions& options = {});

}  // namespace sglexp
