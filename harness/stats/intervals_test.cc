// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/intervals.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

TEST(MedianInterval, TenValuesUseTheSecondFromEachEnd) {
  const std::vector<double> x = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
  const auto interval = median_interval(x);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 9);
  EXPECT_NEAR(interval->confidence, 1 - 2 * 11.0 / 1024, 1e-15);
}

TEST(MedianInterval, FiveValuesCannotReachNinetyFivePercent) {
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(median_interval(std::vector<double>{1, 2, 3, 4, 5}, 0.9));
  EXPECT_FALSE(median_interval({}));
}

TEST(HodgesLehmann, AConstantFactorIsFoundExactly) {
  const std::vector<double> x = {100, 101, 102, 103, 104};
  std::vector<double> y;
  for (const double v : x) {
    y.push_back(1.1 * v);
  }
  const auto shift = hodges_lehmann(x, y);
  ASSERT_TRUE(shift.ok());
  EXPECT_EQ(shift->scale, Scale::kLog);
  EXPECT_NEAR(shift->estimate, 1.1, 1e-12);
  ASSERT_TRUE(shift->interval);
  EXPECT_LT(shift->interval->low, 1.1);
  EXPECT_GT(shift->interval->high, 1.1);
  EXPECT_GE(shift->interval->confidence, 0.95);
}

TEST(HodgesLehmann, ThreePerArmIsNotAttainable) {
  const std::vector<double> x = {1, 2, 3};
  const auto shift = hodges_lehmann(x, x);
  ASSERT_TRUE(shift.ok());
  EXPECT_FALSE(shift->interval);
  EXPECT_EQ(shift->k, 0);
  EXPECT_NEAR(shift->attainable_confidence, 0.9, 1e-15);
}

TEST(HodgesLehmann, AZeroMeansLinearDifferences) {
  const auto shift = hodges_lehmann(std::vector<double>{0, 1, 2}, std::vector<double>{5, 6, 7});
  ASSERT_TRUE(shift.ok());
  EXPECT_EQ(shift->scale, Scale::kLinear);
  EXPECT_EQ(shift->estimate, 5);
}

TEST(HodgesLehmann, BadInputIsRefused) {
  const std::vector<double> x = {1, 2};
  const std::vector<double> bad = {std::numeric_limits<double>::infinity()};
  EXPECT_FALSE(hodges_lehmann({}, x).ok());
  EXPECT_FALSE(hodges_lehmann(x, bad).ok());
  EXPECT_FALSE(hodges_lehmann(x, x, 1.0).ok());
  const std::vector<double> many(2001, 1.0);
  EXPECT_FALSE(hodges_lehmann(many, many).ok());
}

TEST(WalshShift, OneDifferenceIsItsOwnEstimateWithoutInterval) {
  const auto shift = walsh_shift(std::vector{std::log(1.2)}, Scale::kLog);
  ASSERT_TRUE(shift.ok());
  EXPECT_NEAR(shift->estimate, 1.2, 1e-12);
  EXPECT_FALSE(shift->interval);
}

TEST(WalshShift, SixPairsReachFromTheSmallestToTheLargest) {
  const std::vector<double> d = {1, 2, 3, 4, 5, 6};
  const auto shift = walsh_shift(d, Scale::kLinear);
  ASSERT_TRUE(shift.ok());
  EXPECT_EQ(shift->estimate, 3.5);
  ASSERT_TRUE(shift->interval);
  EXPECT_EQ(shift->interval->low, 1);
  EXPECT_EQ(shift->interval->high, 6);
  EXPECT_FALSE(walsh_shift({}, Scale::kLinear).ok());
}

TEST(WalshShift, CoversTheTruthAsOftenAsItSays) {
  int covered = 0;
  double promised = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    std::vector<double> d;
    for (int i = 0; i < 8; ++i) {
      d.push_back(0.05 + 0.01 * rng.normal());
    }
    const auto shift = walsh_shift(d, Scale::kLinear);
    covered += shift->interval->low <= 0.05 && 0.05 <= shift->interval->high ? 1 : 0;
    promised = shift->interval->confidence;
  }
  EXPECT_NEAR(covered / 2000.0, promised, 0.015);
}

}  // namespace
}  // namespace sglexp
