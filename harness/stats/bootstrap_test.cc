// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/bootstrap.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

std::vector<double> log_normal(std::uint64_t seed, int n, double level, double sd) {
  Rng rng(seed);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(level * std::exp(sd * rng.normal()));
  }
  return values;
}

TEST(Bootstrap, EqualSeedsGiveEqualIntervals) {
  const auto x = log_normal(1, 20, 100, 0.05);
  const auto y = log_normal(2, 20, 110, 0.05);
  const auto a = bootstrap_median_ratio(x, y, 5, {999, 0.95});
  const auto b = bootstrap_median_ratio(x, y, 5, {999, 0.95});
  const auto c = bootstrap_median_ratio(x, y, 6, {999, 0.95});
  EXPECT_EQ(a->low, b->low);
  EXPECT_EQ(a->high, b->high);
  EXPECT_NE(a->low, c->low);
  EXPECT_TRUE(a->bca);
}

TEST(Bootstrap, CoversTheTruthAboutAsOftenAsAsked) {
  int covered = 0;
  constexpr int kRuns = 200;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto x = log_normal(2 * seed, 25, 100, 0.1);
    const auto y = log_normal(2 * seed + 1, 25, 120, 0.1);
    const auto r = bootstrap_median_ratio(x, y, seed, {499, 0.95});
    covered += r->low <= 1.2 && 1.2 <= r->high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.88 * kRuns);
  EXPECT_LT(covered, kRuns);
}

TEST(Bootstrap, FallsBackToPercentilesAndSaysSo) {
  const auto few = bootstrap_median_ratio(log_normal(1, 7, 1, 0.1), log_normal(2, 20, 1, 0.1), 1);
  EXPECT_FALSE(few->bca);
  EXPECT_LT(few->low, few->high);
  // Nothing varies: neither bias nor acceleration is defined.
  const std::vector<double> same(10, 2.0);
  const auto flat = bootstrap_median_ratio(same, same, 1, {99, 0.95});
  EXPECT_FALSE(flat->bca);
  EXPECT_EQ(flat->low, 1);
  EXPECT_EQ(flat->high, 1);
}

TEST(Bootstrap, UndefinedInputHasNoAnswer) {
  const std::vector<double> x = {1, 2, 3};
  EXPECT_FALSE(bootstrap_median_ratio({}, x, 1));
  EXPECT_FALSE(bootstrap_median_ratio(std::vector<double>{0, 1}, x, 1));
  EXPECT_FALSE(bootstrap_median_ratio(x, x, 1, {10, 0.95}));
  EXPECT_FALSE(bootstrap_median_ratio(x, x, 1, {999, 1.0}));
}

}  // namespace
}  // namespace sglexp
