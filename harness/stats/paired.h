// SPDX-License-Identifier: Apache-2.0
// Tests on paired blocks: the block is the pair, d_b its difference on the common scale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/scale.h"

namespace sglexp {

struct PairedDifferences {
  Scale scale = Scale::kLog;
  std::vector<double> d;  // ln(b / a), or b - a on kLinear
};
// a and b are block values in the same order. Empty where the lengths differ, there are no pairs,
// or a value is not finite. kLinear where a value is 0 or below.
[[nodiscard]] std::optional<PairedDifferences> paired_differences(std::span<const double> a,
                                                                  std::span<const double> b);

struct PairedTest {
  double p_two_sided = 1;
  double p_less = 1;     // H1: differences tend to be below 0
  double p_greater = 1;  // H1: differences tend to be above 0
  bool exact = true;
};

// Under the null every difference might as well have the other sign: the share of sign patterns
// whose mean is at least as far from 0. All 2^n patterns up to n = 20 (smallest two-sided p: 2 /
// 2^n), beyond that 20 000 seeded ones with p = (c + 1) / (R + 1), Phipson & Smyth 2010. Empty for
// no differences or a value that is not finite.
[[nodiscard]] std::optional<PairedTest> sign_flip_test(std::span<const double> differences,
                                                       std::uint64_t seed);

struct SignedRankTest : PairedTest {
  double v = 0;  // sum of the (mid-)ranks of the differences above 0
};
// Wilcoxon signed-rank test, zeros left out, exact with ties up to n = 200, else normal. Empty as
// above; all differences 0 gives p = 1.
[[nodiscard]] std::optional<SignedRankTest> signed_rank_test(std::span<const double> differences);

}  // namespace sglexp
