// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(Outliers, FarValuesAreListed) {
  EXPECT_THAT(mad_outliers(std::vector<double>{10, 11, 12, 50, 11, 9, -40}),
              testing::ElementsAre(3, 6));
  EXPECT_THAT(mad_outliers(std::vector<double>{1, 2, 3, 4}), testing::IsEmpty());
  EXPECT_THAT(mad_outliers({}), testing::IsEmpty());
}

TEST(Outliers, AmongEqualValuesAnyOtherIsOne) {
  EXPECT_THAT(mad_outliers(std::vector<double>{5, 5, 5, 5.1}), testing::ElementsAre(3));
}

TEST(Outliers, RobustSdIsThatOfANormalSample) {
  EXPECT_NEAR(*robust_sd(std::vector<double>{-1, 0, 1}), 1.4826, 1e-12);
  EXPECT_FALSE(robust_sd({}));
}

}  // namespace
}  // namespace sglexp
