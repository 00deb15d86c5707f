// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/multiplicity.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Holm, NeverFallsAlongTheOrder) {
  const auto adjusted = holm(std::vector{0.01, 0.011, 0.5});
  ASSERT_TRUE(adjusted);
  EXPECT_THAT(*adjusted, ElementsAre(DoubleNear(0.03, 1e-15), DoubleNear(0.03, 1e-15), 0.5));
}

TEST(Holm, OneTestIsUnchangedAndNoneIsNone) {
  EXPECT_THAT(*holm(std::vector{0.04}), ElementsAre(0.04));
  EXPECT_TRUE(holm({})->empty());
}

TEST(Holm, IsCutAtOne) {
  EXPECT_THAT(*holm(std::vector{0.6, 0.7}), ElementsAre(1, 1));
}

TEST(BenjaminiHochberg, NeverRisesAgainstTheOrder) {
  const auto adjusted = benjamini_hochberg(std::vector{0.03, 0.031, 0.9});
  EXPECT_THAT(*adjusted, ElementsAre(DoubleNear(0.0465, 1e-12), DoubleNear(0.0465, 1e-12),
                                     DoubleNear(0.9, 1e-12)));
}

TEST(Multiplicity, WhatIsNoProbabilityIsRefused) {
  EXPECT_FALSE(holm(std::vector{0.1, 1.5}));
  EXPECT_FALSE(benjamini_hochberg(std::vector{-0.1}));
  EXPECT_FALSE(holm(std::vector{std::numeric_limits<double>::quiet_NaN()}));
}

}  // namespace
}  // namespace sglexp
