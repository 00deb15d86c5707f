// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/rank_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/stats/normal.h"
#include "harness/stats/ranks.h"
#include "harness/stats/scale.h"

namespace sglexp {
namespace {

constexpr std::size_t kExactLimit = 100;
constexpr double kLeastP = std::numeric_limits<double>::min();  // never 0

// The sum of doubled ranks of the smaller sample decides: half the table of the larger one.
Tails exact_tails(const MidRanks& ranks, std::size_t m) {
  const std::span<const int> all = ranks.doubled;
  const std::size_t n = all.size() - m;
  const bool swap = n < m;
  const auto chosen = swap ? all.subspan(m) : all.first(m);
  const auto sum = static_cast<std::size_t>(std::accumulate(chosen.begin(), chosen.end(), 0));
  const Tails t = tails(subset_sum_ways(all, chosen.size()), sum);
  return swap ? Tails{t.upper, t.lower} : t;
}

double tie_corrected_sigma(double m, double n, double tie_term) {
  const double total = m + n;
  return std::sqrt(m * n / 12 * (total + 1 - tie_term / (total * (total - 1))));
}

void fill_asymptotic(RankTest& test, double m, double n, bool continuity) {
  test.exact = false;
  const double sigma = tie_corrected_sigma(m, n, test.tie_term);
  if (!(sigma > 0)) {
    return;  // all values are equal: every p stays 1
  }
  const double off = test.u_x - m * n / 2;
  const double shift = continuity ? 0.5 : 0;
  test.p_less = std::max(kLeastP, normal_cdf((off + shift) / sigma));
  test.p_greater = std::max(kLeastP, normal_cdf(-(off - shift) / sigma));
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_less, test.p_greater));
}

}  // namespace

std::optional<RankTest> mann_whitney(std::span<const double> x, std::span<const double> y,
                                     const RankTestOptions& options) {
  if (x.empty() || y.empty() || !all_finite(x) || !all_finite(y)) {
    return std::nullopt;
  }
  std::vector<double> both(x.begin(), x.end());
  both.insert(both.end(), y.begin(), y.end());
  const MidRanks ranks = mid_ranks(both);
  const auto m = static_cast<double>(x.size());
  const auto n = static_cast<double>(y.size());
  const auto first = std::span<const int>(ranks.doubled).first(x.size());
  RankTest test;
  test.u_x = std::accumulate(first.begin(), first.end(), 0.0) / 2 - m * (m + 1) / 2;
  test.u_y = m * n - test.u_x;
  test.a12 = test.u_y / (m * n);
  test.tie_term = ranks.tie_term;
  const bool exact = options.method == RankMethod::kExact ||
                     (options.method == RankMethod::kAuto && both.size() <= kExactLimit);
  if (!exact) {
    fill_asymptotic(test, m, n, options.continuity);
    return test;
  }
  const Tails t = exact_tails(ranks, x.size());
  test.p_less = t.lower;
  test.p_greater = t.upper;
  test.p_two_sided = std::min(1.0, 2 * std::min(t.lower, t.upper));
  return test;
}

}  // namespace sglexp
