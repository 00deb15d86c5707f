// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/placement/placement.h"
#include "harness/placement/test_nodes.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

class Mismatch : public ::testing::Test {
 protected:
  // Workers of node n1, by GPU index.
  std::string of(const std::vector<std::vector<int>>& workers, const ArmSpec& arm) {
    Placement placement;
    for (const std::vector<int>& indices : workers) {
      WorkerSpec worker;
      worker.name = "w" + std::to_string(placement.workers.size());
      worker.node = "n1";
      for (const int index : indices) {
        worker.gpus.push_back(*topology_.find_index(index));
      }
      placement.workers.push_back(worker);
    }
    return placement_mismatch(placement, arm);
  }
  Topology topology_ = recorded_topology("mi210_2hives.json");
};

TEST_F(Mismatch, SameNumaMeansOneNumaNode) {
  const ArmSpec arm = make_arm(PlacementPolicy::kSameNuma, 4);
  EXPECT_EQ(of({{4, 5, 6, 7}}, arm), "");
  EXPECT_EQ(of({{3, 5, 6, 7}}, arm),
            "w0 on n1 has GPUs 3 (NUMA 0), 5 (NUMA 1), 6 (NUMA 1), 7 (NUMA 1): same_numa wants "
            "them on one NUMA node");
}

TEST_F(Mismatch, CrossNumaMeansEqualParts) {
  const ArmSpec arm = make_arm(PlacementPolicy::kCrossNuma, 4);
  EXPECT_EQ(of({{2, 3, 4, 5}}, arm), "");
  EXPECT_THAT(of({{0, 1, 2, 4}}, arm), HasSubstr("cross_numa wants equal parts"));
  EXPECT_THAT(of({{0, 1, 2, 3}}, arm), HasSubstr("cross_numa wants equal parts"));
  EXPECT_EQ(of({{0, 1, 4}}, make_arm(PlacementPolicy::kCrossNuma, 3)), "");
}

TEST_F(Mismatch, UnknownNumaProvesNothing) {
  topology_ = recorded_topology("numa_unknown.json");
  EXPECT_THAT(of({{0, 1, 2, 3}}, make_arm(PlacementPolicy::kSameNuma, 4)),
              HasSubstr("0 (NUMA unknown)"));
  EXPECT_NE(of({{0, 1, 4, 5}}, make_arm(PlacementPolicy::kCrossNuma, 4)), "");
  EXPECT_EQ(of({{0, 1, 2, 3}}, make_arm(PlacementPolicy::kPack, 4)), "");
}

TEST_F(Mismatch, ExplicitMeansTheListInItsOrder) {
  ArmSpec arm = make_arm(PlacementPolicy::kExplicit, 2, 2);
  arm.placement.gpus = {"5", "0000:05:00.0", "6", "7"};
  EXPECT_EQ(of({{5, 0}, {6, 7}}, arm), "");
  EXPECT_THAT(of({{0, 5}, {6, 7}}, arm),
              HasSubstr("w0 on n1 has GPUs 0 (NUMA 0), 5 (NUMA 1): placement.gpus wants 5, "));
  EXPECT_THAT(of({{5, 0}, {6, 4}}, arm), HasSubstr("w1 on n1"));
}

TEST_F(Mismatch, EveryPolicyWantsTpDistinctGpus) {
  const ArmSpec arm = make_arm(PlacementPolicy::kPack, 2, 2);
  EXPECT_EQ(of({{0, 1}, {2, 3}}, arm), "");
  EXPECT_EQ(of({{0, 1}, {1, 2}}, arm), "GPU 1 (0000:08:00.0) of n1 is planned twice");
  EXPECT_EQ(of({{0, 1}, {2}}, arm), "w1 on n1 has GPUs 2 (NUMA 0), tp is 2");
  EXPECT_EQ(of({{}}, arm), "w0 on n1 has GPUs none, tp is 2");
  EXPECT_EQ(of({}, arm), "no worker is placed");
}

}  // namespace
}  // namespace sglexp
