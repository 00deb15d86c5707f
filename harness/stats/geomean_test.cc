// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/geomean.h"

#include <vector>

#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(Geomean, ARatioAndItsInverseCancel) {
  EXPECT_NEAR(*geomean(std::vector{4.0, 0.25}), 1, 1e-15);
  EXPECT_NEAR(*geomean(std::vector{2.0, 8.0}), 4, 1e-12);
}

TEST(Geomean, UndefinedWithoutPositiveRatios) {
  EXPECT_FALSE(geomean({}));
  EXPECT_FALSE(geomean(std::vector{1.0, 0.0}));
  EXPECT_FALSE(geomean(std::vector{1.0, -2.0}));
}

}  // namespace
}  // namespace sglexp
