// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/paired.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "harness/base/random.h"
#include "harness/stats/normal.h"
#include "harness/stats/ranks.h"

namespace sglexp {
namespace {

constexpr std::size_t kExactPairs = 20;
constexpr int kFlips = 20'000;
constexpr std::size_t kExactSignedRanks = 200;
constexpr double kLeastP = std::numeric_limits<double>::min();  // never 0

// Sums of d over every sign pattern, ascending.
std::vector<double> signed_sums(std::span<const double> d) {
  std::vector<double> sums = {0.0};
  for (const double value : d) {
    const std::size_t half = sums.size();
    for (std::size_t i = 0; i < half; ++i) {
      sums.push_back(sums[i] + value);
      sums[i] -= value;
    }
  }
  std::ranges::sort(sums);
  return sums;
}

// How many of all sign patterns reach `least`: the patterns of two halves are combined by binary
// search, 2^(n/2) log instead of 2^n.
double patterns_at_least(std::span<const double> d, double least) {
  const std::vector<double> left = signed_sums(d.first(d.size() / 2));
  const std::vector<double> right = signed_sums(d.subspan(d.size() / 2));
  double count = 0;
  for (const double sum : left) {
    count += static_cast<double>(right.end() - std::ranges::lower_bound(right, least - sum));
  }
  return count;
}

double two_sided(double less, double greater) {
  return std::min(1.0, 2 * std::min(less, greater));
}

PairedTest exact_flips(std::span<const double> d, double observed, double slack) {
  const double patterns = std::exp2(static_cast<double>(d.size()));
  PairedTest test;
  test.p_greater = patterns_at_least(d, observed - slack) / patterns;
  // The pattern sums are symmetric about 0.
  test.p_less = patterns_at_least(d, -observed - slack) / patterns;
  test.p_two_sided = two_sided(test.p_less, test.p_greater);
  return test;
}

PairedTest random_flips(std::span<const double> d, double observed, double slack,
                        std::uint64_t seed) {
  Rng rng(seed, "sign_flip");
  int at_least = 0;
  int at_most = 0;
  int as_far = 0;
  for (int r = 0; r < kFlips; ++r) {
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      bits = i % 64 == 0 ? rng.next() : bits >> 1;
      sum += (bits & 1) != 0 ? d[i] : -d[i];
    }
    at_least += sum >= observed - slack ? 1 : 0;
    at_most += sum <= observed + slack ? 1 : 0;
    as_far += std::abs(sum) >= std::abs(observed) - slack ? 1 : 0;
  }
  const auto p = [](int count) { return (count + 1.0) / (kFlips + 1.0); };
  return {p(as_far), p(at_most), p(at_least), false};
}

Tails normal_tails(double v, double n, double tie_term) {
  const double sigma = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - tie_term / 48);
  const double off = v - n * (n + 1) / 4;
  return {std::max(kLeastP, normal_cdf((off + 0.5) / sigma)),
          std::max(kLeastP, normal_cdf(-(off - 0.5) / sigma))};
}

}  // namespace

std::optional<PairedDifferences> paired_differences(std::span<const double> a,
                                                    std::span<const double> b) {
  if (a.empty() || a.size() != b.size() || !all_finite(a) || !all_finite(b)) {
    return std::nullopt;
  }
  PairedDifferences result;
  result.scale = common_scale({a, b});
  const std::vector<double> from = to_scale(a, result.scale);
  result.d = to_scale(b, result.scale);
  std::ranges::transform(result.d, from, result.d.begin(), std::minus<>());
  return result;
}

std::optional<PairedTest> sign_flip_test(std::span<const double> differences, std::uint64_t seed) {
  if (differences.empty() || !all_finite(differences)) {
    return std::nullopt;
  }
  double observed = 0;
  double size = 0;
  for (const double d : differences) {
    observed += d;
    size += std::abs(d);
  }
  // Patterns that tie with the observed one must count, whatever the order of summing rounded to.
  const double slack = 1e-12 * size;
  return differences.size() <= kExactPairs ? exact_flips(differences, observed, slack)
                                           : random_flips(differences, observed, slack, seed);
}

std::optional<SignedRankTest> signed_rank_test(std::span<const double> differences) {
  if (differences.empty() || !all_finite(differences)) {
    return std::nullopt;
  }
  std::vector<double> sizes;
  std::vector<bool> above;
  for (const double d : differences) {
    if (d != 0) {
      sizes.push_back(std::abs(d));
      above.push_back(d > 0);
    }
  }
  const MidRanks ranks = mid_ranks(sizes);
  int doubled_v = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    doubled_v += above[i] ? ranks.doubled[i] : 0;
  }
  SignedRankTest test;
  test.v = doubled_v / 2.0;
  if (sizes.empty()) {
    return test;
  }
  test.exact = sizes.size() <= kExactSignedRanks;
  const Tails t = test.exact
                      ? tails(subset_sum_ways(ranks.doubled), static_cast<std::size_t>(doubled_v))
                      : normal_tails(test.v, static_cast<double>(sizes.size()), ranks.tie_term);
  test.p_less = t.lower;
  test.p_greater = t.upper;
  test.p_two_sided = two_sided(t.lower, t.upper);
  return test;
}

}  // namespace sglexp
