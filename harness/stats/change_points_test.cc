// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/change_points.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Level 1000 * shape(night) with log-normal noise.
template <typename Shape>
std::vector<double> nights(std::uint64_t seed, int n, double cv, Shape shape) {
  Rng rng(seed);
  std::vector<double> series;
  for (int i = 0; i < n; ++i) {
    series.push_back(1000 * shape(i) * std::exp(cv * rng.normal()));
  }
  return series;
}

std::vector<std::size_t> indices(const SeriesChanges& changes) {
  std::vector<std::size_t> found;
  for (const auto& point : changes.points) {
    found.push_back(point.index);
  }
  return found;
}

TEST(ChangePoints, AStepIsFoundWithItsSize) {
  const auto series = nights(1, 40, 0.005, [](int i) { return i < 25 ? 1.0 : 0.95; });
  const auto changes = find_changes(series, 9);
  ASSERT_THAT(indices(changes), ElementsAre(25));
  EXPECT_NEAR(*changes.points[0].relative, -0.05, 0.005);
  EXPECT_NEAR(changes.points[0].before, 1000, 5);
  EXPECT_DOUBLE_EQ(changes.points[0].p, 0.001);
  EXPECT_THAT(changes.drifts, IsEmpty());
}

TEST(ChangePoints, AShortBumpIsTwoPoints) {
  const auto series = nights(2, 50, 0.005, [](int i) { return i >= 30 && i < 34 ? 0.95 : 1.0; });
  EXPECT_THAT(indices(find_changes(series, 9)), ElementsAre(30, 34));
}

TEST(ChangePoints, ALoneSpikeIsAnOutlier) {
  const auto series = nights(3, 40, 0.005, [](int i) { return i == 17 ? 0.8 : 1.0; });
  const auto changes = find_changes(series, 9);
  EXPECT_THAT(changes.points, IsEmpty());
  EXPECT_THAT(changes.outliers, ElementsAre(17));
}

TEST(ChangePoints, NoiseRarelyAlarms) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto changes = find_changes(nights(seed, 40, 0.01, [](int) { return 1.0; }), seed);
    alarms += changes.points.empty() && changes.drifts.empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 3);
}

TEST(ChangePoints, ASlowTrendIsADriftAndNotAStaircase) {
  const auto series = nights(4, 60, 0.01, [](int i) { return 1 + 0.002 * i; });
  const auto changes = find_changes(series, 9);
  EXPECT_THAT(changes.points, IsEmpty());
  ASSERT_EQ(changes.drifts.size(), 1U);
  EXPECT_NEAR(changes.drifts[0].per_night, 0.0019, 0.0003);
  EXPECT_EQ(changes.drifts[0].begin, 0U);
  EXPECT_EQ(changes.drifts[0].end, 60U);
}

TEST(ChangePoints, AStepBeforeADriftStaysAStep) {
  const auto series =
      nights(5, 80, 0.005, [](int i) { return i < 30 ? 1.2 : 1.0 + 0.002 * (i - 30); });
  const auto changes = find_changes(series, 9);
  EXPECT_THAT(indices(changes), ElementsAre(30));
  ASSERT_EQ(changes.drifts.size(), 1U);
  EXPECT_EQ(changes.drifts[0].begin, 30U);
}

TEST(ChangePoints, AChangeBelowTheMarginIsDropped) {
  const auto series = nights(6, 60, 0.002, [](int i) { return i < 30 ? 1.0 : 1.01; });
  EXPECT_THAT(find_changes(series, 9).points, IsEmpty());
  ChangePointOptions fine;
  fine.min_relative_change = 0.005;
  EXPECT_THAT(indices(find_changes(series, 9, fine)), ElementsAre(30));
}

TEST(ChangePoints, EqualSeedsGiveEqualAnswers) {
  const auto series = nights(7, 60, 0.02, [](int i) { return i < 30 ? 1.0 : 0.96; });
  const auto a = find_changes(series, 3);
  const auto b = find_changes(series, 3);
  ASSERT_EQ(indices(a), indices(b));
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].p, b.points[i].p);
  }
}

TEST(ChangePoints, ConstantAndShortSeriesHaveNone) {
  EXPECT_THAT(find_changes(std::vector<double>(30, 5.0), 1).points, IsEmpty());
  EXPECT_FALSE(find_changes(std::vector<double>(6, 5.0), 1).insufficient_data);
  EXPECT_TRUE(find_changes(std::vector<double>(5, 5.0), 1).insufficient_data);
  EXPECT_TRUE(find_changes({}, 1).insufficient_data);
  std::vector<double> broken(20, 1.0);
  broken[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(find_changes(broken, 1).insufficient_data);
}

TEST(ChangePoints, AStepFromZeroHasNoRelativeSizeAndStays) {
  std::vector<double> series(30, 0.0);
  for (std::size_t i = 15; i < 30; ++i) {
    series[i] = 4;
  }
  const auto changes = find_changes(series, 1);
  ASSERT_THAT(indices(changes), ElementsAre(15));
  EXPECT_EQ(changes.scale, Scale::kLinear);
  EXPECT_FALSE(changes.points[0].relative);
}

}  // namespace
}  // namespace sglexp
