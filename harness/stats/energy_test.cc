// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/energy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

// Q as it is defined, three sums over pairs.
double q_by_definition(const std::vector<double>& z, std::size_t tau, std::size_t kappa) {
  const auto mean = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    double sum = 0;
    double pairs = 0;
    for (std::size_t i = a; i < b; ++i) {
      for (std::size_t j = (a == c ? i + 1 : c); j < d; ++j) {
        sum += std::abs(z[i] - z[j]);
        ++pairs;
      }
    }
    return sum / pairs;
  };
  const auto t = static_cast<double>(tau);
  const auto k = static_cast<double>(kappa);
  return t * (k - t) / k *
         (2 * mean(0, tau, tau, kappa) - mean(0, tau, 0, tau) - mean(tau, kappa, tau, kappa));
}

TEST(EnergySplit, AgreesWithItsDefinition) {
  for (std::size_t n = 4; n <= 25; ++n) {
    for (const std::size_t least : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
      Rng rng(n * 10 + least);
      std::vector<double> z;
      for (std::size_t i = 0; i < n; ++i) {
        z.push_back(rng.normal());
      }
      double best = -1e300;
      for (std::size_t kappa = 2 * least; kappa <= n; ++kappa) {
        for (std::size_t tau = least; tau + least <= kappa; ++tau) {
          best = std::max(best, q_by_definition(z, tau, kappa));
        }
      }
      const auto split = best_energy_split(z, least);
      ASSERT_EQ(split.has_value(), n >= 2 * least) << n;
      if (split) {
        EXPECT_NEAR(split->q, best, 1e-9) << n << " " << least;
        EXPECT_NEAR(split->q, q_by_definition(z, split->tau, split->kappa), 1e-9);
        EXPECT_TRUE(energy_split_reaches(z, least, best - 1e-6));
        EXPECT_FALSE(energy_split_reaches(z, least, best + 1e-6));
      }
    }
  }
}

TEST(EnergySplit, FindsABumpThatReturns) {
  std::vector<double> z(40, 0.0);
  z[20] = z[21] = z[22] = z[23] = 5;
  const auto split = best_energy_split(z, 3);
  EXPECT_EQ(split->tau, 20U);
  EXPECT_EQ(split->kappa, 24U);
}

TEST(EnergyStatistics, SeeASpreadThatHasTheSameMiddle) {
  const std::vector<double> narrow = {-1, 1, -1, 1};
  const std::vector<double> wide = {-9, 9, -9, 9};
  // 2 * 9 - 1 - 9
  EXPECT_NEAR(energy_statistics(narrow, wide)->e, 8, 1e-12);
  EXPECT_NEAR(energy_statistics(narrow, narrow)->e, 0, 1e-12);
  EXPECT_EQ(energy_statistics(std::vector{2.0}, std::vector{2.0})->h, 0);
  EXPECT_FALSE(energy_statistics({}, narrow));
}

}  // namespace
}  // namespace sglexp
