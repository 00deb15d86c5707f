// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/quantiles.h"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

namespace sglexp {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Quantiles, NearestRankIsExactWhereFloatingPointIsNot) {
  const auto x = one_to(100);
  for (int p = 1; p <= 100; ++p) {
    EXPECT_EQ(quantile(x, percentile(p), QuantileMethod::kNearestRank), p) << p;
  }
  EXPECT_EQ(quantile(x, percentile(99.9), QuantileMethod::kNearestRank), 100);
  EXPECT_EQ(quantile(x, percentile(0), QuantileMethod::kNearestRank), 1);
}

TEST(Quantiles, LinearInterpolatesBetweenNeighbours) {
  const std::vector<double> x = {10, 20, 40};
  EXPECT_EQ(quantile(x, percentile(50)), 20);
  EXPECT_EQ(quantile(x, percentile(75)), 30);
  EXPECT_EQ(quantile(x, percentile(100)), 40);
}

TEST(Quantiles, MedianUnbiasedStaysInsideTheSample) {
  const std::vector<double> x = {10, 20, 40};
  EXPECT_EQ(quantile(x, percentile(1), QuantileMethod::kMedianUnbiased), 10);
  EXPECT_EQ(quantile(x, percentile(50), QuantileMethod::kMedianUnbiased), 20);
  EXPECT_EQ(quantile(x, percentile(99), QuantileMethod::kMedianUnbiased), 40);
}

TEST(Quantiles, UndefinedIsEmptyNotNan) {
  const std::vector<double> x = {1, 2};
  EXPECT_FALSE(quantile({}, percentile(50)));
  EXPECT_FALSE(quantile(x, percentile(101)));
  EXPECT_FALSE(quantile(x, percentile(-1)));
  EXPECT_FALSE(median({}));
  EXPECT_FALSE(median(std::vector{1.0, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_FALSE(sorted_sample(std::vector{1.0, std::numeric_limits<double>::infinity()}));
}

TEST(Quantiles, HugeValuesDoNotOverflow) {
  const double big = std::numeric_limits<double>::max();
  EXPECT_EQ(median(std::vector{-big, big}), 0);
}

TEST(Quantiles, TailsNeedEnoughSamples) {
  EXPECT_FALSE(quantile_supported(percentile(99), 99));
  EXPECT_TRUE(quantile_supported(percentile(99), 100));
  EXPECT_FALSE(quantile_supported(percentile(99.9), 999));
  EXPECT_TRUE(quantile_supported(percentile(99.9), 1000));
}

}  // namespace
}  // namespace sglexp
