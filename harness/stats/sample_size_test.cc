// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/sample_size.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace sglexp {
namespace {

PowerOptions family(int tests) {
  PowerOptions options;
  options.tests = tests;
  return options;
}

TEST(SampleSize, FloorsAreWhereTheExactTestsCanReachAlpha) {
  EXPECT_EQ(unpaired_floor(), 4);           // 2 / C(8, 4) = 0.029
  EXPECT_EQ(unpaired_floor(family(4)), 5);  // 0.0079 <= 0.0125
  EXPECT_EQ(unpaired_floor(family(8)), 6);  // 0.0022 <= 0.00625
  EXPECT_EQ(paired_floor(), 6);             // 2 / 64 = 0.031
  EXPECT_EQ(paired_floor(family(3)), 7);    // 2 / 128 = 0.0156 <= 0.0167
}

TEST(SampleSize, NinePercentNoiseNeedsAboutSixtyToSeeFive) {
  const auto advice = unpaired_sample_size(0.09, 0.05);
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->n, 59);
  EXPECT_FALSE(advice->resolvable);
}

TEST(SampleSize, QuietSeriesNeedTheFloorOrWhatNoetherAsksOfSeparatedArms) {
  EXPECT_EQ(unpaired_sample_size(0.001, 0.05)->n, 6);  // q = 1: 7.849 / 0.75 / 2 = 5.2
  EXPECT_EQ(unpaired_sample_size(0, 0.05)->n, 6);
  EXPECT_EQ(paired_sample_size(0.001, 0.03, family(3))->n, 7);
  EXPECT_TRUE(paired_sample_size(0.001, 0.03)->resolvable);
}

// ((1.95996 + 0.84162) * 0.02 / ln 1.03)^2 * 1.05 = 3.77, ... with sd 5 %: 23.6
TEST(SampleSize, PairsFollowTheNormalFormula) {
  EXPECT_EQ(paired_sample_size(0.05, 0.03)->n, 24);
}

TEST(SampleSize, DetectableIsTheInverse) {
  const auto pairs = paired_sample_size(0.05, 0.03);
  EXPECT_LE(*paired_detectable(pairs->n, 0.05), 0.03);
  EXPECT_GT(*paired_detectable(pairs->n - 1, 0.05), 0.03);
  const auto arms = unpaired_sample_size(0.05, 0.05);
  EXPECT_LE(*unpaired_detectable(arms->n, 0.05), 0.05);
  EXPECT_GT(*unpaired_detectable(arms->n - 1, 0.05), 0.05);
}

TEST(SampleSize, BelowTheFloorNothingIsDetectable) {
  EXPECT_FALSE(paired_detectable(5, 0.01));
  EXPECT_FALSE(unpaired_detectable(3, 0.01));
}

TEST(SampleSize, SenselessParametersHaveNoAnswer) {
  EXPECT_FALSE(paired_sample_size(0.01, 0));
  EXPECT_FALSE(paired_sample_size(-1, 0.1));
  EXPECT_FALSE(unpaired_sample_size(std::nan(""), 0.1));
  PowerOptions bad;
  bad.alpha = 0;
  EXPECT_FALSE(unpaired_sample_size(0.01, 0.1, bad));
}

TEST(SampleSize, PooledSdUsesEachArmsOwnMean) {
  EXPECT_DOUBLE_EQ(*pooled_sd(std::vector<double>{0, 2}, std::vector<double>{100, 102}),
                   std::sqrt(2.0));
  EXPECT_FALSE(pooled_sd(std::vector<double>{1}, std::vector<double>{2}));
  EXPECT_DOUBLE_EQ(*sample_sd(std::vector<double>{0, 2}), std::sqrt(2.0));
  EXPECT_FALSE(sample_sd(std::vector<double>{0}));
}

}  // namespace
}  // namespace sglexp
