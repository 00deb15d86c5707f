// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/ranks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "harness/stats/normal.h"

namespace sglexp {
namespace {

// Beyond these sizes the counts take too long or leave the range of a double.
constexpr std::size_t kExactRankSum = 400;
constexpr std::size_t kExactSignedRank = 200;
constexpr std::size_t kExactBinomial = 1000;

// From the left half of a symmetric distribution given by counts.
CutOff cut_off_from(std::span<const double> ways, double total, double alpha) {
  // A probability that equals alpha / 2 but for rounding counts as reaching it.
  const double target = alpha / 2 - 1e-14;
  CutOff result;
  double below = 0;  // counts at or under k - 1
  result.attainable = std::max(0.0, 1 - 2 * ways[0] / total);
  while (result.k + 1 < ways.size() && (below + ways[result.k]) / total < target) {
    below += ways[result.k++];
  }
  result.achieved = result.k == 0 ? 0 : 1 - 2 * below / total;
  return result;
}

// The same for a distribution too large to enumerate: S is about normal on whole numbers.
CutOff cut_off_normal(double mean, double variance, double alpha) {
  const double sigma = std::sqrt(variance);
  CutOff result;
  result.attainable = 1;
  const double q = std::ceil(mean + sigma * normal_quantile(alpha / 2) - 0.5);
  result.k = q <= 0 ? 0 : static_cast<std::size_t>(q);
  result.achieved = result.k == 0 ? 0 : 1 - 2 * normal_cdf((q - 0.5 - mean) / sigma);
  return result;
}

// Counts of U = 0 .. mn/2 for m and n values without ties: the coefficients of the Gaussian
// binomial, product over i of (1 - q^(n+i)) / (1 - q^i). Low coefficients never depend on higher
// ones, so the lower tail, which is all that is read, keeps full precision.
std::vector<double> rank_sum_ways(std::size_t m, std::size_t n) {
  std::vector<double> ways(m * n / 2 + 1, 0.0);
  ways[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t s = ways.size(); s-- > n + i;) {
      ways[s] -= ways[s - n - i];
    }
    for (std::size_t s = i; s < ways.size(); ++s) {
      ways[s] += ways[s - i];
    }
  }
  return ways;
}

double binomial_coefficient(std::size_t n, std::size_t k) {
  double value = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    value = value * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return value;
}

}  // namespace

MidRanks mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  MidRanks ranks;
  ranks.doubled.resize(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    // Ranks begin + 1 .. end, so twice their mean is begin + 1 + end.
    for (std::size_t i = begin; i < end; ++i) {
      ranks.doubled[order[i]] = static_cast<int>(begin + 1 + end);
    }
    const auto t = static_cast<double>(end - begin);
    ranks.tie_term += t * t * t - t;
    begin = end;
  }
  return ranks;
}

std::vector<double> subset_sum_ways(std::span<const int> scores, std::size_t choose) {
  std::vector<int> descending(scores.begin(), scores.end());
  std::ranges::sort(descending, std::greater<>());
  const auto largest = static_cast<std::size_t>(std::accumulate(
      descending.begin(), descending.begin() + static_cast<std::ptrdiff_t>(choose), 0));
  const std::size_t width = largest + 1;
  std::vector<double> count((choose + 1) * width, 0.0);  // count[k * width + s]
  count[0] = 1;
  for (const int score : scores) {
    const auto shift = static_cast<std::size_t>(score);
    // Descending k: each score is used at most once.
    for (std::size_t k = choose; k > 0; --k) {
      const double* from = &count[(k - 1) * width];
      double* to = &count[k * width];
      for (std::size_t s = shift; s < width; ++s) {
        to[s] += from[s - shift];
      }
    }
  }
  return {count.end() - static_cast<std::ptrdiff_t>(width), count.end()};
}

std::vector<double> subset_sum_ways(std::span<const int> scores) {
  const auto largest = static_cast<std::size_t>(std::accumulate(scores.begin(), scores.end(), 0));
  std::vector<double> ways(largest + 1, 0.0);
  ways[0] = 1;
  for (const int score : scores) {
    const auto shift = static_cast<std::size_t>(score);
    for (std::size_t s = ways.size(); s-- > shift;) {
      ways[s] += ways[s - shift];
    }
  }
  return ways;
}

Tails tails(std::span<const double> ways, std::size_t s) {
  const auto at = ways.begin() + static_cast<std::ptrdiff_t>(s);
  const double below = std::accumulate(ways.begin(), at, 0.0);
  const double above = std::accumulate(at + 1, ways.end(), 0.0);
  const double total = below + *at + above;
  return {(below + *at) / total, (above + *at) / total};
}

CutOff rank_sum_cut_off(std::size_t m, std::size_t n, double alpha) {
  if (m == 0 || n == 0) {
    return {};
  }
  if (m + n > kExactRankSum) {
    const auto dm = static_cast<double>(m);
    const auto dn = static_cast<double>(n);
    return cut_off_normal(dm * dn / 2, dm * dn * (dm + dn + 1) / 12, alpha);
  }
  return cut_off_from(rank_sum_ways(std::min(m, n), std::max(m, n)),
                      binomial_coefficient(m + n, std::min(m, n)), alpha);
}

CutOff signed_rank_cut_off(std::size_t n, double alpha) {
  const auto dn = static_cast<double>(n);
  if (n == 0) {
    return {};
  }
  if (n > kExactSignedRank) {
    return cut_off_normal(dn * (dn + 1) / 4, dn * (dn + 1) * (2 * dn + 1) / 24, alpha);
  }
  std::vector<int> scores(n);
  std::iota(scores.begin(), scores.end(), 1);
  return cut_off_from(subset_sum_ways(scores), std::exp2(dn), alpha);
}

CutOff binomial_cut_off(std::size_t n, double alpha) {
  const auto dn = static_cast<double>(n);
  if (n == 0) {
    return {};
  }
  if (n > kExactBinomial) {
    return cut_off_normal(dn / 2, dn / 4, alpha);
  }
  std::vector<double> ways(n / 2 + 1, 1.0);
  for (std::size_t i = 1; i < ways.size(); ++i) {
    ways[i] = ways[i - 1] * static_cast<double>(n - i + 1) / static_cast<double>(i);
  }
  return cut_off_from(ways, std::exp2(dn), alpha);
}

}  // namespace sglexp
