// SPDX-License-Identifier: Apache-2.0
// Mid-ranks, and the exact null distributions of rank sums. Ranks are doubled so that ties, whose
// mid-rank may be a half, stay whole numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sglexp {

struct MidRanks {
  std::vector<int> doubled;  // 2 * mid-rank of each value, in input order
  double tie_term = 0;       // sum over tie groups of t^3 - t
};
// The values must be finite.
[[nodiscard]] MidRanks mid_ranks(std::span<const double> values);

// ways[s]: in how many ways `choose` of the scores sum to s (shift algorithm, Streitberg & Roehmel
// 1986). Doubles hold them exactly up to 2^53 and with 53 bits beyond. Needs scores >= 0.
// O(scores * choose * largest sum).
[[nodiscard]] std::vector<double> subset_sum_ways(std::span<const int> scores, std::size_t choose);
// ways[s] over subsets of any size: the signed-rank null. O(scores * sum of scores).
[[nodiscard]] std::vector<double> subset_sum_ways(std::span<const int> scores);

struct Tails {
  double lower = 1;  // P(S <= s)
  double upper = 1;  // P(S >= s)
};
[[nodiscard]] Tails tails(std::span<const double> ways, std::size_t s);

// How many ordered values an interval cuts off at each end: k = the smallest q with
// P(S <= q) >= alpha / 2 (so that k = 0 means: not attainable), and 1 - 2 P(S <= k - 1).
struct CutOff {
  std::size_t k = 0;
  double achieved = 0;    // confidence with k; 0 where k = 0
  double attainable = 0;  // the best that k = 1 gives
};
// Null of the Mann-Whitney U without ties: R's qwilcox(alpha/2, m, n). Exact up to m + n = 400,
// beyond that normal with continuity correction.
[[nodiscard]] CutOff rank_sum_cut_off(std::size_t m, std::size_t n, double alpha);
// Null of the signed-rank V: R's qsignrank(alpha/2, n). Exact up to n = 200, then normal.
[[nodiscard]] CutOff signed_rank_cut_off(std::size_t n, double alpha);
// Null of the sign test, Bin(n, 1/2): for intervals of a median. Exact up to n = 1000, then normal.
[[nodiscard]] CutOff binomial_cut_off(std::size_t n, double alpha);

}  // namespace sglexp
