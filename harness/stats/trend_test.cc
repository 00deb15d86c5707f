// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/trend.h"

#include <vector>

#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(Trend, AStraightLineIsFoundExactly) {
  const auto t = trend(std::vector<double>{5, 7, 9, 11, 13, 15});
  ASSERT_TRUE(t);
  EXPECT_DOUBLE_EQ(t->slope, 2);
  EXPECT_DOUBLE_EQ(t->intercept, 5);
  EXPECT_EQ(t->s, 15);
  // z = 14 / sqrt(6 * 5 * 17 / 18) = 2.630
  EXPECT_NEAR(t->p, 0.008535, 1e-5);
}

TEST(Trend, OneWildValueDoesNotTurnTheSlope) {
  EXPECT_NEAR(trend(std::vector<double>{0, 1, 2, 900, 4, 5, 6, 7})->slope, 1, 1e-12);
}

TEST(Trend, ConstantHasNone) {
  const auto t = trend(std::vector<double>(10, 3.0));
  EXPECT_EQ(t->slope, 0);
  EXPECT_EQ(t->p, 1);
}

TEST(Trend, TooShortHasNoAnswer) {
  EXPECT_FALSE(trend(std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace sglexp
