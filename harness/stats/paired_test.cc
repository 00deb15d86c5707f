// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/paired.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

TEST(PairedDifferences, AreLogRatiosWhereTheyCanBe) {
  const auto pairs = paired_differences(std::vector<double>{1, 2}, std::vector<double>{2, 1});
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->scale, Scale::kLog);
  EXPECT_NEAR(pairs->d[0], std::log(2.0), 1e-15);
  EXPECT_NEAR(pairs->d[1], -std::log(2.0), 1e-15);
  EXPECT_FALSE(paired_differences({}, {}));
  EXPECT_FALSE(paired_differences(std::vector<double>{1}, std::vector<double>{1, 2}));
}

TEST(PairedDifferences, FallBackToDifferences) {
  const auto pairs = paired_differences(std::vector<double>{0, 2}, std::vector<double>{1, 5});
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->scale, Scale::kLinear);
  EXPECT_EQ(pairs->d, (std::vector<double>{1, 3}));
}

TEST(SignFlip, OneSidedPatternGivesTheFloor) {
  for (std::size_t n = 1; n <= 20; ++n) {
    const std::vector<double> d(n, 0.1);
    const auto test = sign_flip_test(d, 1);
    ASSERT_TRUE(test);
    EXPECT_TRUE(test->exact);
    EXPECT_DOUBLE_EQ(test->p_two_sided, std::min(1.0, std::exp2(1 - static_cast<double>(n)))) << n;
    EXPECT_DOUBLE_EQ(test->p_less, 1) << n;
  }
}

// All 2^n patterns, the slow way.
TEST(SignFlip, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    std::vector<double> d;
    const std::size_t n = 1 + seed % 11;
    double observed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d.push_back(std::round(10 * rng.normal()));  // with ties between patterns
      observed += d.back();
    }
    int as_far = 0;
    for (unsigned pattern = 0; pattern < 1U << n; ++pattern) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += (pattern >> i & 1U) != 0 ? d[i] : -d[i];
      }
      as_far += std::abs(sum) >= std::abs(observed) ? 1 : 0;
    }
    EXPECT_NEAR(sign_flip_test(d, 1)->p_two_sided, as_far / std::exp2(n), 1e-12) << seed;
  }
}

TEST(SignFlip, ManyPairsUseSeededFlips) {
  Rng rng(3);
  std::vector<double> d;
  for (int i = 0; i < 70; ++i) {
    d.push_back(0.2 + rng.normal());
  }
  const auto a = sign_flip_test(d, 1);
  EXPECT_FALSE(a->exact);
  EXPECT_EQ(a->p_two_sided, sign_flip_test(d, 1)->p_two_sided);
  // Near the t-test's answer, which the normal distribution of 70 sums allows.
  double mean = 0;
  double squares = 0;
  for (const double v : d) {
    mean += v / 70;
    squares += v * v;
  }
  const double z = mean * 70 / std::sqrt(squares);
  EXPECT_NEAR(a->p_two_sided, std::erfc(std::abs(z) / std::sqrt(2.0)), 0.01);
  const std::vector<double> far(40, 1.0);
  EXPECT_NEAR(sign_flip_test(far, 1)->p_two_sided, 1.0 / 20'001, 1e-15);
}

TEST(SignFlip, NoDifferenceIsNoEvidence) {
  EXPECT_EQ(sign_flip_test(std::vector<double>(8, 0.0), 1)->p_two_sided, 1);
  EXPECT_EQ(sign_flip_test(std::vector<double>{1, -1}, 1)->p_two_sided, 1);
  EXPECT_FALSE(sign_flip_test({}, 1));
  EXPECT_FALSE(sign_flip_test(std::vector{std::numeric_limits<double>::quiet_NaN()}, 1));
}

TEST(SignedRank, SmallCasesByHand) {
  // |d| ranks 1, 2, 3 with signs + + -: V = 3; of 8 patterns V >= 3 in 5, V <= 3 in 5.
  const auto test = signed_rank_test(std::vector<double>{1, 2, -3});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->v, 3);
  EXPECT_DOUBLE_EQ(test->p_greater, 5.0 / 8);
  EXPECT_DOUBLE_EQ(test->p_less, 5.0 / 8);
  EXPECT_EQ(test->p_two_sided, 1);
}

TEST(SignedRank, ZerosAreLeftOutAndTiesShareRanks) {
  const auto test = signed_rank_test(std::vector<double>{0, 1, 1, -1});
  EXPECT_EQ(test->v, 4);
  EXPECT_DOUBLE_EQ(test->p_greater, 4.0 / 8);
  EXPECT_EQ(signed_rank_test(std::vector<double>{0, 0})->p_two_sided, 1);
  EXPECT_FALSE(signed_rank_test({}));
}

TEST(SignedRank, NormalAndExactAgreeAtTheLimit) {
  Rng rng(5);
  std::vector<double> d;
  for (int i = 0; i < 200; ++i) {
    d.push_back(0.1 + rng.normal());
  }
  const auto exact = signed_rank_test(d);
  EXPECT_TRUE(exact->exact);
  d.push_back(1e-9);
  const auto normal = signed_rank_test(d);
  EXPECT_FALSE(normal->exact);
  EXPECT_NEAR(normal->p_two_sided, exact->p_two_sided, 0.02);
}

}  // namespace
}  // namespace sglexp
