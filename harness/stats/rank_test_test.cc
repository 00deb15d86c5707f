// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/rank_test.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

TEST(RankTest, CompleteSeparationHasTheSmallestP) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const std::vector<double> y = {6, 7, 8, 9, 10};
  const auto test = mann_whitney(x, y);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->u_x, 0);
  EXPECT_EQ(test->u_y, 25);
  EXPECT_EQ(test->a12, 1);
  EXPECT_NEAR(test->p_less, 1.0 / 252, 1e-15);
  EXPECT_NEAR(test->p_two_sided, 2.0 / 252, 1e-15);
  EXPECT_EQ(test->p_greater, 1);
}

// Doubling the CDF of min(U) gives 0 here; counting all 126 ways gives 12 / 126 for the right tail.
TEST(RankTest, TiesAndUnequalSizesAreNotSymmetric) {
  const auto test = mann_whitney(std::vector<double>{2, 1, 3, 5}, std::vector<double>(5, 1.0));
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->p_two_sided, 12.0 / 126, 1e-12);
}

TEST(RankTest, SwappingTheSamplesMirrorsEverything) {
  const std::vector<double> x = {5, 5, 6, 8};
  const std::vector<double> y = {6, 7, 8, 8, 9, 11};
  const auto a = mann_whitney(x, y);
  const auto b = mann_whitney(y, x);
  EXPECT_EQ(a->u_x, b->u_y);
  EXPECT_NEAR(a->p_less, b->p_greater, 1e-15);
  EXPECT_NEAR(a->p_two_sided, b->p_two_sided, 1e-15);
  EXPECT_NEAR(a->a12, 1 - b->a12, 1e-15);
}

TEST(RankTest, AllEqualIsNoEvidence) {
  const std::vector<double> same(5, 3.0);
  EXPECT_EQ(mann_whitney(same, same)->p_two_sided, 1);
  EXPECT_EQ(mann_whitney(same, same, {RankMethod::kAsymptotic, true})->p_two_sided, 1);
  EXPECT_EQ(mann_whitney(same, same)->a12, 0.5);
}

TEST(RankTest, LargeSamplesSwitchToTheNormalAndAgreeWithTheExact) {
  Rng rng(7);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 50; ++i) {
    x.push_back(rng.normal());
    y.push_back(rng.normal() + 0.3);
  }
  const auto exact = mann_whitney(x, y);
  EXPECT_TRUE(exact->exact);
  const auto normal = mann_whitney(x, y, {RankMethod::kAsymptotic, true});
  EXPECT_NEAR(normal->p_two_sided, exact->p_two_sided, 0.02 * exact->p_two_sided);
  y.push_back(0);
  EXPECT_FALSE(mann_whitney(x, y)->exact);
}

TEST(RankTest, PIsNeverZero) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 3000; ++i) {
    x.push_back(i);
    y.push_back(i + 10'000);
  }
  EXPECT_GT(mann_whitney(x, y)->p_two_sided, 0);
}

TEST(RankTest, UndefinedInputHasNoAnswer) {
  const std::vector<double> x = {1, 2};
  EXPECT_FALSE(mann_whitney({}, x));
  EXPECT_FALSE(mann_whitney(x, {}));
  EXPECT_FALSE(mann_whitney(x, std::vector{std::numeric_limits<double>::quiet_NaN()}));
}

}  // namespace
}  // namespace sglexp
