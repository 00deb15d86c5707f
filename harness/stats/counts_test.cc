// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/counts.h"

#include <gtest/gtest.h>

namespace sglexp {
namespace {

// Fisher's tea: 4 + 4 cups, three of four right. P(>= 3) = (16 + 1) / 70.
TEST(Fisher, TheLadyTastingTea) {
  const auto test = fisher_exact({1, 4}, {3, 4});
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->p_more, 17.0 / 70, 1e-15);
  EXPECT_NEAR(test->p_fewer, 69.0 / 70, 1e-15);
  EXPECT_NEAR(test->p_two_sided, 34.0 / 70, 1e-15);
}

TEST(Fisher, NoFailuresAnywhereIsNoEvidence) {
  const auto test = fisher_exact({0, 100}, {0, 50});
  EXPECT_EQ(test->p_more, 1);
  EXPECT_EQ(test->p_fewer, 1);
  EXPECT_EQ(test->p_two_sided, 1);
}

// Five failures, all on one of two equal sides: C(n, 5) / C(2n, 5).
TEST(Fisher, LargeCountsKeepTheirPrecision) {
  const double n = 1'000'000;
  double p = 1;
  for (int i = 0; i < 5; ++i) {
    p *= (n - i) / (2 * n - i);
  }
  EXPECT_NEAR(fisher_exact({0, 1'000'000}, {5, 1'000'000})->p_more, p, 1e-12 * p);
  EXPECT_GT(fisher_exact({0, 100'000}, {50'000, 100'000})->p_fewer, 0.999);
}

TEST(Fisher, ImpossibleCountsHaveNoAnswer) {
  EXPECT_FALSE(fisher_exact({0, 0}, {1, 2}));
  EXPECT_FALSE(fisher_exact({3, 2}, {1, 2}));
  EXPECT_FALSE(fisher_exact({-1, 2}, {1, 2}));
}

}  // namespace
}  // namespace sglexp
