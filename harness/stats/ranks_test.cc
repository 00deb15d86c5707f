// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/ranks.h"

#include <numeric>

#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(Ranks, TiesShareTheirMeanRank) {
  const MidRanks ranks = mid_ranks(std::vector{5.0, 1.0, 5.0, 9.0});
  EXPECT_EQ(ranks.doubled, (std::vector{5, 2, 5, 8}));
  EXPECT_EQ(ranks.tie_term, 6);
}

TEST(Ranks, SubsetSumsOfFixedSizeAreCounted) {
  // Pairs of {1, 2, 3}: 3, 4, 5.
  const std::vector<int> scores = {1, 2, 3};
  EXPECT_EQ(subset_sum_ways(scores, 2), (std::vector<double>{0, 0, 0, 1, 1, 1}));
  // Any subset: 0, 1, 2, 3 (twice), 4, 5, 6.
  EXPECT_EQ(subset_sum_ways(scores), (std::vector<double>{1, 1, 1, 2, 1, 1, 1}));
}

TEST(Ranks, TailsBothHoldTheObservedValue) {
  const Tails t = tails(std::vector<double>{1, 2, 1}, 1);
  EXPECT_DOUBLE_EQ(t.lower, 0.75);
  EXPECT_DOUBLE_EQ(t.upper, 0.75);
}

// R: qwilcox(0.025, 5, 5) = 3, qwilcox(0.025, 6, 6) = 6, qwilcox(0.025, 3, 3) = 0.
TEST(Ranks, RankSumCutOffIsRsQwilcox) {
  EXPECT_EQ(rank_sum_cut_off(5, 5, 0.05).k, 3U);
  EXPECT_EQ(rank_sum_cut_off(6, 6, 0.05).k, 6U);
  const CutOff none = rank_sum_cut_off(3, 3, 0.05);
  EXPECT_EQ(none.k, 0U);
  EXPECT_EQ(none.achieved, 0);
  EXPECT_DOUBLE_EQ(none.attainable, 0.9);  // 1 - 2 / C(6, 3)
}

TEST(Ranks, CutOffAgreesWithEnumerationOfUnequalSizes) {
  std::vector<int> ranks(17);
  std::iota(ranks.begin(), ranks.end(), 1);
  const auto ways = subset_sum_ways(ranks, 6);
  const double total = std::accumulate(ways.begin(), ways.end(), 0.0);
  const CutOff cut = rank_sum_cut_off(6, 11, 0.1);
  double below = 0;  // rank sums 21 .. 21 + k - 1 are U = 0 .. k - 1
  for (std::size_t u = 0; u < cut.k; ++u) {
    below += ways[21 + u];
  }
  EXPECT_NEAR(cut.achieved, 1 - 2 * below / total, 1e-14);
  EXPECT_LT(below / total, 0.05);
  EXPECT_GE((below + ways[21 + cut.k]) / total, 0.05);
  EXPECT_EQ(rank_sum_cut_off(11, 6, 0.1).k, cut.k);
}

TEST(Ranks, ExactAndNormalMeetWhereTheyTakeOver) {
  const CutOff exact = rank_sum_cut_off(200, 200, 0.05);
  const CutOff normal = rank_sum_cut_off(201, 200, 0.05);
  EXPECT_NEAR(static_cast<double>(normal.k), static_cast<double>(exact.k), 100);
  EXPECT_NEAR(normal.achieved, 0.95, 1e-3);
  EXPECT_NEAR(static_cast<double>(signed_rank_cut_off(201, 0.05).k),
              static_cast<double>(signed_rank_cut_off(200, 0.05).k), 100);
  EXPECT_NEAR(static_cast<double>(binomial_cut_off(1001, 0.05).k),
              static_cast<double>(binomial_cut_off(1000, 0.05).k), 1);
}

// R: qsignrank(0.025, c(5, 6, 8, 10)) = 0, 1, 4, 9.
TEST(Ranks, SignedRankCutOffIsRsQsignrank) {
  EXPECT_EQ(signed_rank_cut_off(5, 0.05).k, 0U);
  EXPECT_EQ(signed_rank_cut_off(6, 0.05).k, 1U);
  EXPECT_EQ(signed_rank_cut_off(8, 0.05).k, 4U);
  EXPECT_EQ(signed_rank_cut_off(10, 0.05).k, 9U);
  EXPECT_DOUBLE_EQ(signed_rank_cut_off(6, 0.05).achieved, 0.96875);
}

TEST(Ranks, BinomialCutOffNeedsSixForNinetyFivePercent) {
  EXPECT_EQ(binomial_cut_off(5, 0.05).k, 0U);
  EXPECT_EQ(binomial_cut_off(6, 0.05).k, 1U);
  EXPECT_EQ(binomial_cut_off(10, 0.05).k, 2U);
  EXPECT_EQ(binomial_cut_off(0, 0.05).k, 0U);
}

TEST(Ranks, OneAgainstOneAttainsNothing) {
  EXPECT_EQ(rank_sum_cut_off(1, 1, 0.05).attainable, 0);
  EXPECT_EQ(signed_rank_cut_off(1, 0.05).attainable, 0);
}

}  // namespace
}  // namespace sglexp
