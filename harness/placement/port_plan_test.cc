// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/port_plan.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::HasSubstr;

TEST(PortPlan, KeepsWorkersApartAndServicesBesideThem) {
  auto plan = PortPlan::make(20000, 10000, 7, {"a", "a", "b"});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const int first = plan->next_worker("a");
  EXPECT_EQ(plan->next_worker("a"), first + 300);
  EXPECT_EQ(plan->next_worker("b"), first);
  EXPECT_EQ(plan->next_service("a"), first + 600);
  EXPECT_EQ(plan->next_service("a"), first + 601);
  EXPECT_EQ(plan->next_service("b"), first + 600);
}

TEST(PortPlan, StaysInTheRangeAndJobsEitherShareAStretchOrNothing) {
  std::set<int> starts;
  for (std::uint64_t salt = 0; salt < 500; ++salt) {
    auto plan = PortPlan::make(20000, 1000, salt, {"a"});
    ASSERT_TRUE(plan.ok());
    starts.insert(plan->next_worker("a"));
  }
  EXPECT_EQ(starts, (std::set<int>{20000, 20320, 20640}));
}

TEST(PortPlan, IsTheSameForTheSameSalt) {
  EXPECT_EQ(PortPlan::make(20000, 10000, 42, {"a"})->next_worker("a"),
            PortPlan::make(20000, 10000, 42, {"a"})->next_worker("a"));
}

TEST(PortPlan, RefusesRangesThatAreTooSmallOrNone) {
  EXPECT_EQ(PortPlan::make(20000, 619, 0, {"a", "a"}).error().message,
            "port_count 619 is too small: 2 workers on one address need 620 ports");
  EXPECT_TRUE(PortPlan::make(20000, 620, 0, {"a", "a"}).ok());
  EXPECT_TRUE(PortPlan::make(65536 - 320, 320, 0, {"a"}).ok());
  EXPECT_THAT(PortPlan::make(65536 - 320, 321, 0, {"a"}).error().message,
              HasSubstr("leaves 1..65535"));
  EXPECT_FALSE(PortPlan::make(0, 10000, 0, {"a"}).ok());
  EXPECT_FALSE(PortPlan::make(2147483647, 2147483647, 0, {"a"}).ok());
}

}  // namespace
}  // namespace sglexp
