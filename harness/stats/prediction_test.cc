// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/prediction.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

TEST(Prediction, IsTheTextbookIntervalOnLogarithms) {
  std::vector<double> nights;
  for (const double z : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}) {
    nights.push_back(std::exp(z));
  }
  const auto band = predict_night(nights);
  ASSERT_TRUE(band);
  EXPECT_EQ(band->nights, 8U);
  EXPECT_NEAR(band->sd, std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(std::log(band->centre), 4.5, 1e-12);
  // t_{0.995, 7} = 3.4994832974
  const double half = 3.4994832974 * std::sqrt(6.0) * std::sqrt(1 + 1.0 / 8);
  EXPECT_NEAR(std::log(band->high), 4.5 + half, 1e-8);
  EXPECT_NEAR(std::log(band->low), 4.5 - half, 1e-8);
}

TEST(Prediction, HoldsTheNextNightAsOftenAsItSays) {
  int outside = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    std::vector<double> nights;
    for (int i = 0; i < 14; ++i) {
      nights.push_back(std::exp(0.01 * rng.normal()));
    }
    const auto band = predict_night(nights, {0.05, 30, 8});
    const double next = std::exp(0.01 * rng.normal());
    outside += next < band->low || next > band->high ? 1 : 0;
  }
  EXPECT_NEAR(outside / 2000.0, 0.05, 0.02);
}

TEST(Prediction, OutliersAndOldNightsAreLeftOut) {
  std::vector<double> nights(40, 500.0);  // an older level, beyond the window
  for (int i = 0; i < 30; ++i) {
    nights.push_back(100 + i % 3);
  }
  nights[50] = 300;
  const auto band = predict_night(nights);
  ASSERT_TRUE(band);
  EXPECT_EQ(band->outliers, 1U);
  EXPECT_EQ(band->nights, 29U);
  EXPECT_LT(band->high, 110);
}

TEST(Prediction, SevenNightsAreTooFew) {
  EXPECT_FALSE(predict_night(std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(predict_night(std::vector<double>{0, 2, 3, 4, 5, 6, 7, 8})->scale == Scale::kLinear);
}

}  // namespace
}  // namespace sglexp
