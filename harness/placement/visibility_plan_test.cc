// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/placement/test_devices.h"
#include "harness/placement/visibility.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(VisibilityPlan, IsPositionsInWhatRocrLeaves) {
  const auto plan = plan_visibility(node(kAll), {"4,5,6,7", "9", "4,5,6,7"}, addresses({5, 4}));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->set.size(), 1U);
  EXPECT_EQ(plan->set[0].first, "HIP_VISIBLE_DEVICES");
  EXPECT_EQ(plan->set[0].second, "1,0");
  EXPECT_THAT(plan->unset, ElementsAre("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"));
}

TEST(VisibilityPlan, IsPositionsInTheDevicesWithoutRocr) {
  EXPECT_EQ(plan_visibility(node(kAll), {}, addresses({4, 5}))->set[0].second, "4,5");
  EXPECT_EQ(plan_visibility(node({4, 5, 6, 7}), {}, addresses({4, 5}))->set[0].second, "0,1");
}

TEST(VisibilityPlan, RefusesWhatCannotBeSeen) {
  const auto hidden = plan_visibility(node(kAll), {"4,5,6,7", kUnset, kUnset}, addresses({3}));
  ASSERT_FALSE(hidden.ok());
  EXPECT_EQ(hidden.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(hidden.error().message, StartsWith("ROCR_VISIBLE_DEVICES=4,5,6,7 in the inherited "
                                                 "environment hides the planned GPU 0000:03:00.0"));
  EXPECT_THAT(plan_visibility(node({4, 5}), {}, addresses({3})).error().message,
              StartsWith("the planned GPU 0000:03:00.0 is not among those that this process can "
                         "open: 0000:04:00.0, "));
  EXPECT_THAT(plan_visibility(node({}), {}, addresses({3})).error().message,
              HasSubstr("can open: none"));
  EXPECT_THAT(plan_visibility(node(kAll), {}, {}).error().message, HasSubstr("no GPU is planned"));
  EXPECT_THAT(plan_visibility(node(kAll), {}, addresses({1, 1})).error().message,
              HasSubstr("planned twice"));
}

// Whatever Slurm gave and whatever is chosen of it: what was planned is what is seen, in that
// order.
TEST(VisibilityPlan, AlwaysComposesToTheWantedGpus) {
  Rng rng(20240607);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> shuffled = kAll;
    rng.shuffle(shuffled);
    const std::vector<int> devices(shuffled.begin(),
                                   shuffled.begin() + 1 + static_cast<int>(rng.below(8)));
    std::vector<int> positions(devices.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = static_cast<int>(i);
    }
    rng.shuffle(positions);
    VisibilityEnv env;
    std::vector<int> left = devices;
    if (rng.below(2) == 1) {
      left.clear();
      std::vector<std::string> words;
      for (std::size_t i = 0; i < 1 + rng.below(devices.size()); ++i) {
        words.push_back(std::to_string(positions[i]));
        left.push_back(devices[static_cast<std::size_t>(positions[i])]);
      }
      env.rocr = join(words, ",");
    }
    env.hip = rng.below(2) == 1 ? std::optional<std::string>("7,6,5") : kUnset;
    env.cuda = rng.below(2) == 1 ? std::optional<std::string>("3") : kUnset;
    rng.shuffle(left);
    left.resize(1 + rng.below(left.size()));
    const auto plan = plan_visibility(node(devices), env, addresses(left));
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    ASSERT_EQ(plan->set.size(), 1U);
    const Visibility seen =
        compose_visibility(node(devices), {env.rocr, plan->set[0].second, kUnset});
    ASSERT_EQ(physical(seen.visible), left);
    ASSERT_TRUE(judge_visibility(seen, addresses(left)).ok);
  }
}

}  // namespace
}  // namespace sglexp
