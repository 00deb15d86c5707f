// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/cpu_share.h"

#include <set>

#include <gmock/gmock.h>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/placement/test_nodes.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<Gpu> gpus_of(const PlacementNode& node, const std::vector<int>& indices) {
  std::vector<Gpu> out;
  for (const int index : indices) {
    out.push_back(*node.topology.find_index(index));
  }
  return out;
}

std::vector<std::string> ranges(const std::vector<std::vector<int>>& lists) {
  std::vector<std::string> out;
  for (const std::vector<int>& list : lists) {
    out.push_back(format_ranges(list));
  }
  return out;
}

class CpuShare : public ::testing::Test {
 protected:
  CpuShares share(const CpuDemand& demand) {
    auto shares = share_cpus(node_, demand);
    EXPECT_TRUE(shares.ok()) << (shares.ok() ? "" : shares.error().message);
    return shares.ok() ? std::move(shares).value() : CpuShares{};
  }
  std::string failure(const CpuDemand& demand) {
    const auto shares = share_cpus(node_, demand);
    return shares.ok() ? "it worked" : shares.error().message;
  }
  std::vector<Gpu> gpus(const std::vector<int>& indices) { return gpus_of(node_, indices); }

  PlacementNode node_ = recorded_node("n1", range(0, 7));
};

TEST_F(CpuShare, SameNumaLeavesTheOtherSocketToServices) {
  const CpuShares shares = share({{gpus({0, 1, 2, 3})}, 0, {"router", "load"}, 2});
  EXPECT_THAT(ranges(shares.workers), ElementsAre("0-63"));
  EXPECT_THAT(ranges(shares.services), ElementsAre("126-127", "124-125"));
  EXPECT_THAT(ranges(share({{gpus({4, 5, 6, 7})}, 0, {"router", "load"}, 2}).services),
              ElementsAre("62-63", "60-61"));
}

TEST_F(CpuShare, CrossNumaGivesUpWhatServicesNeed) {
  const CpuShares shares = share({{gpus({0, 1, 4, 5})}, 0, {"router", "load"}, 2});
  EXPECT_THAT(ranges(shares.workers), ElementsAre("0-123"));
  EXPECT_THAT(ranges(shares.services), ElementsAre("126-127", "124-125"));
}

TEST_F(CpuShare, ALimitIsSpreadOverTheNumaNodes) {
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5})}, 16, {}, 0}).workers), ElementsAre("0-7,64-71"));
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5})}, 5, {}, 0}).workers), ElementsAre("0-2,64-65"));
  EXPECT_THAT(ranges(share({{gpus({4, 5, 6, 7})}, 16, {}, 0}).workers), ElementsAre("64-79"));
}

TEST_F(CpuShare, ALimitIsFilledFromTheNodeThatHasMore) {
  node_.cpus = {0, 1, 2, 3, 4, 5, 6, 7, 64, 65};
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5})}, 8, {}, 0}).workers), ElementsAre("0-5,64-65"));
}

TEST_F(CpuShare, TwoWorkersOnOneNumaNodeShareIt) {
  EXPECT_THAT(ranges(share({{gpus({0, 1}), gpus({2, 3})}, 0, {}, 0}).workers),
              ElementsAre("0-31", "32-63"));
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5}), gpus({2, 3, 6, 7})}, 0, {}, 0}).workers),
              ElementsAre("0-31,64-95", "32-63,96-127"));
}

TEST_F(CpuShare, OddCpusDifferByOneAtMost) {
  node_.cpus = range(0, 6);
  EXPECT_THAT(ranges(share({{gpus({0}), gpus({1}), gpus({2})}, 0, {}, 0}).workers),
              ElementsAre("0-1", "2-3", "4-6"));
}

TEST_F(CpuShare, ThreadsOfACoreStayTogether) {
  node_ = recorded_node("n1", range(0, 7), "mi300x.json");
  const CpuShares shares = share({{gpus({0, 1}), gpus({2, 3})}, 0, {"load"}, 2});
  EXPECT_THAT(ranges(shares.workers), ElementsAre("0-23,96-119", "24-47,120-143"));
  EXPECT_THAT(ranges(shares.services), ElementsAre("95,191"));
  EXPECT_THAT(ranges(share({{gpus({0, 1})}, 4, {}, 0}).workers), ElementsAre("0-1,96-97"));
}

TEST_F(CpuShare, ServicesSpreadOnlyWhereNoNumaNodeHasEnough) {
  node_.cpus = {0, 1, 2, 64, 65, 66};
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5})}, 0, {"load"}, 2}).services), ElementsAre("65-66"));
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5})}, 0, {"load"}, 3}).services),
              ElementsAre("2,65-66"));
}

TEST_F(CpuShare, UnknownNumaMeansAnyCpu) {
  node_ = recorded_node("n1", range(0, 7), "numa_unknown.json");
  EXPECT_THAT(ranges(share({{gpus({0, 1, 2, 3})}, 0, {"load"}, 2}).workers), ElementsAre("0-125"));
}

TEST_F(CpuShare, CpusOutsideEveryNumaNodeAreUsedToo) {
  node_.topology.numa_nodes.clear();
  node_.cpus = {0, 1, 2, 3};
  const CpuShares shares = share({{gpus({0, 1})}, 0, {"load"}, 1});
  EXPECT_THAT(ranges(shares.workers), ElementsAre("0-2"));
  EXPECT_THAT(ranges(shares.services), ElementsAre("3"));
}

TEST_F(CpuShare, ANumaNodeWithoutCpusIsLeftOut) {
  node_.cpus = range(0, 31);
  EXPECT_THAT(ranges(share({{gpus({0, 1, 4, 5})}, 0, {}, 0}).workers), ElementsAre("0-31"));
}

TEST_F(CpuShare, SaysWhoGoesShort) {
  node_.cpus = range(0, 31);
  EXPECT_EQ(failure({{gpus({4, 5, 6, 7})}, 0, {}, 0}),
            "worker 1 of 1 needs a CPU on NUMA 1, where 0 are left for it; the job holds CPUs 0-31 "
            "(NUMA 0: 0-31; "
            "NUMA 1: none)");
  EXPECT_THAT(failure({{gpus({0, 1, 2, 3})}, 33, {}, 0}),
              StartsWith("worker 1 of 1 needs 33 CPUs on NUMA 0, where 32 are left"));
  node_.cpus = {0, 64};
  EXPECT_THAT(failure({{gpus({0, 4})}, 0, {"router", "load"}, 1}),
              StartsWith("router needs 1 CPUs of its own (placement.service_cpus)"));
  node_.cpus = {0, 1, 2};
  EXPECT_THAT(failure({{gpus({0}), gpus({1})}, 2, {}, 0}),
              HasSubstr("worker 1 of 2 needs 2 CPUs on NUMA 0, where 1 are left"));
}

// Whatever the job holds: nobody shares a CPU, nobody gets one that is not the job's, workers stay
// on their NUMA nodes, and everyone has what was asked.
TEST_F(CpuShare, IsAlwaysDisjointAndLocal) {
  Rng rng(99);
  int placed = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<int> cpus = range(0, 127);
    rng.shuffle(cpus);
    cpus.resize(1 + rng.below(128));
    std::sort(cpus.begin(), cpus.end());
    node_.cpus = cpus;
    std::vector<int> order = range(0, 7);
    rng.shuffle(order);
    const auto split = static_cast<std::ptrdiff_t>(1 + rng.below(7));
    const CpuDemand demand{
        {gpus({order.begin(), order.begin() + split}), gpus({order.begin() + split, order.end()})},
        static_cast<int>(rng.below(40)),
        {"router", "load"},
        static_cast<int>(rng.below(5))};
    const auto shares = share_cpus(node_, demand);
    if (!shares.ok()) {
      continue;
    }
    ++placed;
    std::set<int> free(cpus.begin(), cpus.end());
    for (std::size_t i = 0; i < 2; ++i) {
      std::set<int> numa;
      for (const Gpu& gpu : demand.worker_gpus[i]) {
        numa.insert(gpu.numa);
      }
      ASSERT_GE(shares->workers[i].size(),
                static_cast<std::size_t>(std::max(demand.cpus_per_worker, 1)));
      ASSERT_TRUE(demand.cpus_per_worker == 0 ||
                  shares->workers[i].size() == static_cast<std::size_t>(demand.cpus_per_worker));
      for (const int cpu : shares->workers[i]) {
        ASSERT_EQ(free.erase(cpu), 1U) << cpu;
        ASSERT_TRUE(numa.contains(cpu / 64)) << cpu;
      }
      ASSERT_EQ(shares->services[i].size(), static_cast<std::size_t>(demand.service_cpus));
      for (const int cpu : shares->services[i]) {
        ASSERT_EQ(free.erase(cpu), 1U) << cpu;
      }
    }
  }
  EXPECT_GT(placed, 500);
}

}  // namespace
}  // namespace sglexp
