// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/gpu_choice.h"

#include <ostream>

#include <gmock/gmock.h>

#include "harness/placement/test_nodes.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kSame = PlacementPolicy::kSameNuma;
constexpr auto kCross = PlacementPolicy::kCrossNuma;
constexpr auto kPack = PlacementPolicy::kPack;
constexpr auto kExplicit = PlacementPolicy::kExplicit;

using Indices = std::vector<std::vector<int>>;

Indices indices(const std::vector<std::vector<Gpu>>& workers) {
  Indices out;
  for (const std::vector<Gpu>& gpus : workers) {
    out.push_back(gpu_indices(gpus));
  }
  return out;
}

struct Case {
  const char* name;
  PlacementPolicy policy;
  int tp;
  int workers;
  std::vector<int> allocated;
  Indices chosen;
  const char* topology = "mi210_2hives.json";

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class GpuChoice : public ::testing::TestWithParam<Case> {};

TEST_P(GpuChoice, FollowsThePolicy) {
  const Case& c = GetParam();
  const auto chosen = choose_gpus(recorded_node("n1", c.allocated, c.topology),
                                  make_arm(c.policy, c.tp, c.workers));
  ASSERT_TRUE(chosen.ok()) << chosen.error().message;
  EXPECT_EQ(indices(chosen.value()), c.chosen);
}

INSTANTIATE_TEST_SUITE_P(
    Select, GpuChoice,
    ::testing::Values(
        Case{"same, whole node: lowest NUMA node", kSame, 4, 1, range(0, 7), {{0, 1, 2, 3}}},
        Case{"same, GPUs 0,1 held by another job", kSame, 4, 1, range(2, 7), {{4, 5, 6, 7}}},
        Case{"same, 4-7", kSame, 4, 1, range(4, 7), {{4, 5, 6, 7}}},
        Case{"same, fuller node first", kSame, 2, 1, {1, 2, 4, 5, 7}, {{4, 5}}},
        Case{"same, two workers: one a NUMA node",
             kSame,
             4,
             2,
             range(0, 7),
             {{0, 1, 2, 3}, {4, 5, 6, 7}}},
        Case{"same, two small workers spread", kSame, 2, 2, range(0, 7), {{0, 1}, {4, 5}}},
        Case{"same, two small workers in one place", kSame, 2, 2, range(4, 7), {{4, 5}, {6, 7}}},
        Case{"same, one GPU", kSame, 1, 1, {3, 6}, {{3}}},
        Case{"same, NUMA nodes out of order",
             kSame,
             2,
             2,
             range(0, 7),
             {{4, 5}, {2, 3}},
             "mi250x.json"},
        Case{"cross, whole node", kCross, 4, 1, range(0, 7), {{0, 1, 4, 5}}},
        Case{"cross, GPUs 0,1 held by another job", kCross, 4, 1, range(2, 7), {{2, 3, 4, 5}}},
        Case{"cross, two workers", kCross, 4, 2, range(0, 7), {{0, 1, 4, 5}, {2, 3, 6, 7}}},
        Case{"cross, pair", kCross, 2, 1, range(0, 7), {{0, 4}}},
        Case{"cross, three: more on the fuller", kCross, 3, 1, range(1, 7), {{1, 4, 5}}},
        Case{"cross, three: tie to the lowest", kCross, 3, 1, range(0, 7), {{0, 1, 4}}},
        Case{"cross, eight over four NUMA nodes",
             kCross,
             8,
             1,
             range(0, 7),
             {range(0, 7)},
             "mi250x.json"},
        Case{"cross, four of four NUMA nodes: two suffice",
             kCross,
             4,
             1,
             range(0, 7),
             {{2, 3, 4, 5}},
             "mi250x.json"},
        Case{"pack", kPack, 4, 1, {1, 2, 5, 6, 7}, {{1, 2, 5, 6}}},
        Case{"pack, two workers", kPack, 2, 2, {1, 2, 5, 6, 7}, {{1, 2}, {5, 6}}},
        Case{"pack, NUMA unknown", kPack, 4, 1, range(0, 7), {{0, 1, 2, 3}}, "numa_unknown.json"}));

TEST(GpuChoiceExplicit, KeepsTheOrderAsRankOrder) {
  ArmSpec arm = make_arm(kExplicit, 2, 2);
  arm.placement.gpus = {"5", "0000:05:00.0", "0000:C8:00.0", "4"};
  const auto chosen = choose_gpus(recorded_node("n1", range(0, 7)), arm);
  ASSERT_TRUE(chosen.ok()) << chosen.error().message;
  EXPECT_THAT(indices(chosen.value()), ElementsAre(ElementsAre(5, 0), ElementsAre(7, 4)));
}

TEST(GpuChoiceExplicit, RefusesWhatTheJobDoesNotHold) {
  ArmSpec arm = make_arm(kExplicit, 2);
  const PlacementNode node = recorded_node("n1", range(4, 7));
  arm.placement.gpus = {"4", "0"};
  EXPECT_THAT(choose_gpus(node, arm).error().message,
              HasSubstr("names GPU 0, which the job does not hold here"));
  EXPECT_THAT(choose_gpus(node, arm).error().message, HasSubstr("it holds 4-7"));
  arm.placement.gpus = {"4", "0000:85:00.0"};
  EXPECT_THAT(choose_gpus(node, arm).error().message, HasSubstr("names GPU 0000:85:00.0"));
  arm.placement.gpus = {"4"};
  EXPECT_EQ(choose_gpus(node, arm).error().message,
            "placement.gpus names 1 GPUs, 1 x tp 2 needs 2");
  arm.placement.gpus = {"04", "5"};
  EXPECT_FALSE(choose_gpus(node, arm).ok());
}

TEST(GpuChoiceRequest, UsesExactlyWhatSlurmGave) {
  ArmSpec arm = make_arm(kSame, 4);
  arm.placement.by = PlacementBy::kRequest;
  EXPECT_THAT(indices(choose_gpus(recorded_node("n1", {4, 5, 6, 7}), arm).value()),
              ElementsAre(ElementsAre(4, 5, 6, 7)));
  // Not what the policy wants; placement_mismatch() says so.
  EXPECT_THAT(indices(choose_gpus(recorded_node("n1", {3, 5, 6, 7}), arm).value()),
              ElementsAre(ElementsAre(3, 5, 6, 7)));
  EXPECT_EQ(choose_gpus(recorded_node("n1", {5, 6, 7}), arm).error().message,
            "Slurm gave 3 GPUs (5-7), 1 x tp 4 needs exactly 4");
  EXPECT_FALSE(choose_gpus(recorded_node("n1", range(0, 7)), arm).ok());
}

TEST(GpuChoiceRequest, SharesByPolicyAmongWorkers) {
  ArmSpec arm = make_arm(kCross, 4, 2);
  arm.placement.by = PlacementBy::kRequest;
  EXPECT_THAT(indices(choose_gpus(recorded_node("n1", range(0, 7)), arm).value()),
              ElementsAre(ElementsAre(0, 1, 4, 5), ElementsAre(2, 3, 6, 7)));
}

TEST(GpuChoice, SaysWhatIsMissingAndWhatIsFree) {
  const PlacementNode node = recorded_node("n1", {2, 3, 4});
  EXPECT_EQ(
      choose_gpus(node, make_arm(kSame, 4)).error().message,
      "needs 4 free GPUs on one NUMA node for worker 1 of 1; free are NUMA 0: 2-3; NUMA 1: 4");
  EXPECT_EQ(
      choose_gpus(node, make_arm(kCross, 4)).error().message,
      "needs 2 + 2 free GPUs on two NUMA nodes for worker 1 of 1; free are NUMA 0: 2-3; NUMA 1: 4");
  EXPECT_EQ(
      choose_gpus(node, make_arm(kSame, 2, 2)).error().message,
      "needs 2 free GPUs on one NUMA node for worker 2 of 2; free are NUMA 0: none; NUMA 1: 4");
  EXPECT_EQ(choose_gpus(recorded_node("n1", {}), make_arm(kPack, 1)).error().message,
            "needs 1 free GPUs for worker 1 of 1; free are NUMA 0: none; NUMA 1: none");
}

TEST(GpuChoice, NeedsToKnowTheNumaNodes) {
  const PlacementNode node = recorded_node("n1", range(0, 7), "numa_unknown.json");
  for (const PlacementPolicy policy : {kSame, kCross}) {
    EXPECT_THAT(choose_gpus(node, make_arm(policy, 4)).error().message,
                HasSubstr("numa_node is -1"));
  }
}

TEST(GpuChoice, RefusesNonsense) {
  EXPECT_THAT(choose_gpus(recorded_node("n1", {0, 9}), make_arm(kPack, 1)).error().message,
              HasSubstr("holds GPU 9, which its topology (recorded:mi210_2hives.json) does not "
                        "have: it has 0-7"));
  EXPECT_FALSE(choose_gpus(recorded_node("n1", range(0, 7)), make_arm(kPack, 0)).ok());
  EXPECT_FALSE(choose_gpus(recorded_node("n1", range(0, 7)), make_arm(kPack, 1, 0)).ok());
  EXPECT_FALSE(choose_gpus(recorded_node("n1", range(0, 7)), make_arm(kCross, 1)).ok());
}

}  // namespace
}  // namespace sglexp
