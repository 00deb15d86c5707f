// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kScenarios = std::string(SGLEXP_SOURCE_DIR) + "/scenarios/";

Scenario scenario(const std::vector<std::string>& overrides = {},
                  const std::string& name = "numa_compare") {
  auto loaded = load_scenario(kScenarios + name + ".yaml", {.overrides = overrides});
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return std::move(loaded).value();
}

ClusterProfile profile(const std::string& name = "mock",
                       const std::vector<std::string>& overrides = {}) {
  auto loaded = load_cluster_profile(kScenarios + "clusters/" + name + ".yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return std::move(loaded).value();
}

std::string arms_in_order(const Plan& plan) {
  std::string text;
  for (const SlotPlan& slot : plan.slots) {
    text += static_cast<char>('A' + slot.arm);
  }
  return text;
}

TEST(Plan, ExpandsBlocksSlotsAndTrials) {
  const Scenario two = scenario();
  const auto plan = expand(two, profile());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->slots.size(), 16U);
  EXPECT_EQ(plan->trials, 48);
  ASSERT_EQ(plan->jobs.size(), 1U);
  EXPECT_EQ(plan->jobs[0].name, "shared");
  EXPECT_EQ(plan->jobs[0].slots.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    const SlotPlan& slot = plan->slots[i];
    EXPECT_EQ(slot.index, static_cast<int>(i));
    EXPECT_EQ(slot.block, static_cast<int>(i / 2));
    EXPECT_EQ(slot.position, static_cast<int>(i % 2));
    EXPECT_EQ(slot.trials.size(), 3U);
  }
  // Each block holds each arm once.
  for (std::size_t i = 0; i < 16; i += 2) {
    EXPECT_NE(plan->slots[i].arm, plan->slots[i + 1].arm);
  }
}

// Pinned: a change here means that old seeds no longer reproduce old runs.
TEST(Plan, OrderOfASeedStaysTheSame) {
  EXPECT_EQ(arms_in_order(*expand(scenario({"repeats.seed=1"}), profile())), "ABBABAABABBAABBA");
  EXPECT_EQ(arms_in_order(*expand(scenario({"repeats.seed=2"}), profile())), "ABABBABAABBAABBA");
  EXPECT_EQ(arms_in_order(*expand(scenario({"repeats.order=abba"}), profile())),
            "ABBAABBAABBAABBA");
  const auto plan = expand(scenario(), profile());
  std::string points;
  for (const TrialPlan& trial : plan->slots[0].trials) {
    points += std::to_string(trial.load_point);
  }
  EXPECT_EQ(points, "201");
  EXPECT_EQ(plan->slots[0].launch_seed, 1742440010U);
  EXPECT_EQ(plan->slots[0].trials[0].prompt_seed, 5968903836472738U);
}

TEST(Plan, ArmsOfABlockGetTheSameWork) {
  const auto plan = expand(scenario(), profile());
  std::set<std::uint64_t> prompts;
  std::set<std::uint64_t> launches;
  for (std::size_t i = 0; i < plan->slots.size(); i += 2) {
    const auto& a = plan->slots[i].trials;
    const auto& b = plan->slots[i + 1].trials;
    for (std::size_t t = 0; t < a.size(); ++t) {
      EXPECT_EQ(a[t].load_point, b[t].load_point);
      EXPECT_EQ(a[t].prompt_seed, b[t].prompt_seed);
      prompts.insert(a[t].prompt_seed);
      EXPECT_LT(a[t].prompt_seed, std::uint64_t{1} << 53);
    }
  }
  EXPECT_EQ(prompts.size(), 24U);
  for (const SlotPlan& slot : plan->slots) {
    launches.insert(slot.launch_seed);
    EXPECT_GE(slot.launch_seed, 1U);
    EXPECT_LE(slot.launch_seed, (std::uint64_t{1} << 31) - 1);
  }
  EXPECT_EQ(launches.size(), 16U);
}

// Adding a load point must not change the prompts of the others, nor the order of the arms.
TEST(Plan, StreamsAreIndependent) {
  const auto three = expand(scenario(), profile());
  const auto one =
      expand(scenario({"load.points=[{name: c8, concurrency: 8, requests: 16}]"}), profile());
  EXPECT_EQ(arms_in_order(*three), arms_in_order(*one));
  for (std::size_t i = 0; i < three->slots.size(); ++i) {
    for (const TrialPlan& trial : three->slots[i].trials) {
      if (trial.load_point == 1) {
        EXPECT_EQ(trial.prompt_seed, one->slots[i].trials[0].prompt_seed);
      }
    }
  }
}

TEST(Plan, OneJobASlotNamesThem) {
  const auto plan = expand(scenario({}, "numa_compare_request"), profile());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->jobs.size(), 12U);
  const SlotPlan& fourth = plan->slots[3];
  EXPECT_EQ(plan->jobs[3].name, fourth.arm == 0 ? "s03-same_numa" : "s03-cross_numa");
  EXPECT_THAT(plan->jobs[3].slots, ElementsAre(3));
}

TEST(Plan, ChecksOnlyHasAJobWithoutSlots) {
  const auto plan = expand(scenario({}, "env_smoke"), profile());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(plan->slots, IsEmpty());
  ASSERT_EQ(plan->jobs.size(), 1U);
  EXPECT_THAT(plan->jobs[0].slots, IsEmpty());
  EXPECT_EQ(plan->trials, 0);
}

TEST(Plan, SaysWhatIsSimulated) {
  EXPECT_EQ(expand(scenario(), profile("mock"))->simulated_why,
            "mock scheduler, fake engine, recorded topology");
  EXPECT_EQ(expand(scenario(), profile("slurm_fixture"))->simulated_why,
            "fake engine, recorded topology");
  const auto real = expand(scenario(), profile("mi210_example"));
  ASSERT_TRUE(real.ok()) << real.error().message;
  EXPECT_FALSE(real->simulated);
  EXPECT_EQ(real->simulated_why, "");
}

TEST(Plan, EstimatesTimeAndGpuHours) {
  // Fake engine: 2 s probe, 16 slots of 1.5 s + 0.5 s and three load points, each one wave of
  // warm-up (4 requests) and two of load; a wave takes 20 ms + 32 x 12 ms.
  const auto plan = expand(scenario(), profile());
  EXPECT_EQ(plan->estimated, Millis(2000 + 16 * (2000 + 3 * 3 * 404)));
  EXPECT_NEAR(plan->gpu_hours, 92.176 / 3600 * 16, 1e-9);
  EXPECT_LT(plan->estimated, Seconds(120));
  // Queue, probe, and 16 times ready, three of warm-up and load, teardown.
  EXPECT_EQ(plan->worst_case, std::chrono::minutes(240 + 3 + 16 * (30 + 3 * (5 + 20) + 2)));
}

TEST(Plan, RefusesWhatDoesNotFitTheCluster) {
  const auto error = [](const std::vector<std::string>& overrides) {
    const auto plan = expand(scenario(overrides), profile());
    return plan.ok() ? "" : plan.error().message;
  };
  EXPECT_EQ(error({"allocation.node_type=mi300x"}),
            "cluster 'mock' has no node type 'mi300x' (it has: mi210); change allocation.node_type "
            "or the profile");
  EXPECT_THAT(error({"engine.kind=vllm"}), HasSubstr("has no engine 'vllm'"));
  EXPECT_THAT(error({"router.kind=nginx"}), HasSubstr("has no engine 'nginx'"));
  EXPECT_EQ(error({"router.kind=sglang"}), "");
  EXPECT_THAT(error({"allocation.gpus_per_node=16"}), HasSubstr("of type 'mi210' has 8 GPUs"));
  EXPECT_THAT(error({"allocation.cpus_per_node=256"}), HasSubstr("of type 'mi210' has 128 CPUs"));
  EXPECT_THAT(error({"allocation.time_limit=2m", "repeats.blocks=20"}),
              HasSubstr("allocation.time_limit is 2m, but a job is expected to take 4 min"));
}

TEST(Plan, DigestFollowsEverythingThatMatters) {
  const std::string digest = expand(scenario(), profile())->digest;
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(digest, expand(scenario(), profile())->digest);
  EXPECT_NE(digest, expand(scenario({"repeats.seed=2"}), profile())->digest);
  EXPECT_NE(digest, expand(scenario({"engine.args.dtype=bfloat16"}), profile())->digest);
  EXPECT_NE(digest, expand(scenario(), profile("mock", {"qos=high"}))->digest);
  // The agent reads copies that lie elsewhere.
  Scenario moved = scenario();
  moved.file = "/elsewhere/scenario.yaml";
  EXPECT_EQ(digest, expand(moved, profile())->digest);
}

TEST(Plan, JsonHoldsTheWholePlan) {
  const Scenario two = scenario();
  const ClusterProfile mock = profile();
  const auto plan = expand(two, mock);
  const auto json = nlohmann::json::parse(plan_to_json(two, mock, *plan));
  EXPECT_EQ(json["schema"], "sglexp-plan/1");
  EXPECT_EQ(json["scenario"]["name"], "numa_compare");
  EXPECT_EQ(json["cluster"]["name"], "mock");
  EXPECT_EQ(json["slots"].size(), 16U);
  EXPECT_EQ(json["slots"][0]["launch_seed"], plan->slots[0].launch_seed);
  EXPECT_EQ(json["jobs"][0]["name"], "shared");
  EXPECT_EQ(json["trials"], 48);
  EXPECT_EQ(json["simulated"], true);
  EXPECT_EQ(json["digest"], plan->digest);
}

}  // namespace
}  // namespace sglexp
