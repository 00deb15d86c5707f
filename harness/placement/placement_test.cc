// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/placement.h"

#include <set>

#include <gmock/gmock.h>

#include "harness/base/text.h"
#include "harness/placement/test_nodes.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kSame = PlacementPolicy::kSameNuma;
constexpr auto kCross = PlacementPolicy::kCrossNuma;

class Placing : public ::testing::Test {
 protected:
  Result<Placement> try_place(const ArmSpec& arm, std::uint64_t salt = 1) {
    return place({scenario_, arm, nodes_, 20000, 10000, salt});
  }
  Placement placed(const ArmSpec& arm) {
    auto placement = try_place(arm);
    EXPECT_TRUE(placement.ok()) << (placement.ok() ? "" : placement.error().message);
    return placement.ok() ? std::move(placement).value() : Placement{};
  }

  Scenario scenario_;
  // Another job holds GPUs 0,1 of n1.
  std::vector<PlacementNode> nodes_{recorded_node("n1", range(2, 7)),
                                    recorded_node("n2", range(0, 7))};
};

TEST_F(Placing, PutsOneWorkerOnEachNodeByPolicy) {
  const Placement same = placed(make_arm(kSame, 4));
  ASSERT_EQ(same.workers.size(), 2U);
  EXPECT_EQ(same.workers[0].name, "w0");
  EXPECT_EQ(same.workers[0].node, "n1");
  EXPECT_EQ(same.workers[0].address, nodes_[0].address);
  EXPECT_THAT(gpu_indices(same.workers[0].gpus), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(same.workers[0].mem_nodes, ElementsAre(1));
  EXPECT_EQ(same.workers[1].name, "w1");
  EXPECT_THAT(gpu_indices(same.workers[1].gpus), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(placement_mismatch(same, make_arm(kSame, 4)), "");

  const Placement cross = placed(make_arm(kCross, 4));
  EXPECT_THAT(gpu_indices(cross.workers[0].gpus), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(gpu_indices(cross.workers[1].gpus), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(cross.workers[1].mem_nodes, ElementsAre(0, 1));
  EXPECT_EQ(placement_mismatch(cross, make_arm(kCross, 4)), "");
}

TEST_F(Placing, GivesServicesCpusOfTheirOwnOnTheBatchHost) {
  const Placement placement = placed(make_arm(kSame, 4));
  ASSERT_EQ(placement.services.size(), 2U);
  const ServiceSpec* const router = placement.service("router");
  const ServiceSpec* const load = placement.service("load");
  ASSERT_NE(router, nullptr);
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(router->node, "n1");
  EXPECT_EQ(load->node, "n1");
  EXPECT_EQ(format_ranges(router->cpus), "62-63");
  EXPECT_EQ(format_ranges(load->cpus), "60-61");
  EXPECT_EQ(format_ranges(placement.workers[0].cpus), "64-127");
  EXPECT_EQ(format_ranges(placement.workers[1].cpus), "0-63");
}

TEST_F(Placing, FollowsTheNodesThatTheScenarioNames) {
  scenario_.router.node = "n2";
  const Placement placement = placed(make_arm(kSame, 4));
  EXPECT_EQ(placement.service("router")->node, "n2");
  EXPECT_EQ(placement.service("router")->address, nodes_[1].address);
  EXPECT_EQ(placement.service("load")->node, "n1");
  EXPECT_EQ(placement.services.front().name, "router");
  scenario_.load.node = "n3";
  EXPECT_EQ(try_place(make_arm(kSame, 4)).error().message,
            "load.node 'n3' is not a node of the job: it has n1, n2");
}

TEST_F(Placing, PlacesNoRouterWhereThereIsNone) {
  scenario_.router.enabled = false;
  const Placement placement = placed(make_arm(kSame, 4));
  EXPECT_EQ(placement.service("router"), nullptr);
  ASSERT_EQ(placement.services.size(), 1U);
  EXPECT_EQ(placement.services[0].name, "load");
}

TEST_F(Placing, PlansDistinctPorts) {
  nodes_[1] = recorded_node("n2", range(0, 7));
  nodes_[0] = recorded_node("n1", range(0, 7));
  nodes_[0].address = nodes_[1].address = "127.0.0.1";
  const Placement placement = placed(make_arm(kSame, 4, 2));
  std::set<int> ports;
  std::vector<int> worker_ports;
  for (const WorkerSpec& worker : placement.workers) {
    EXPECT_TRUE(ports.insert(worker.port).second);
    worker_ports.push_back(worker.port);
  }
  for (std::size_t i = 1; i < worker_ports.size(); ++i) {
    EXPECT_GE(worker_ports[i] - worker_ports[i - 1], 300);
  }
  const ServiceSpec* const router = placement.service("router");
  EXPECT_TRUE(ports.insert(router->port).second);
  EXPECT_TRUE(ports.insert(router->metrics_port).second);
  EXPECT_GE(router->port, worker_ports.back() + 300);
  EXPECT_EQ(placement.service("load")->port, 0);
  EXPECT_GE(*ports.begin(), 20000);
  EXPECT_LT(*ports.rbegin(), 30000);
}

TEST_F(Placing, SpreadsJobsOverThePorts) {
  std::set<int> first;
  for (std::uint64_t salt = 0; salt < 50; ++salt) {
    first.insert(try_place(make_arm(kSame, 4), salt)->workers[0].port);
  }
  EXPECT_GT(first.size(), 10U);
}

TEST_F(Placing, TwoWorkersShareANodeFairly) {
  nodes_ = {recorded_node("n1", range(4, 7))};
  const Placement placement = placed(make_arm(kSame, 2, 2));
  ASSERT_EQ(placement.workers.size(), 2U);
  EXPECT_THAT(gpu_indices(placement.workers[0].gpus), ElementsAre(4, 5));
  EXPECT_THAT(gpu_indices(placement.workers[1].gpus), ElementsAre(6, 7));
  EXPECT_EQ(format_ranges(placement.workers[0].cpus), "64-95");
  EXPECT_EQ(format_ranges(placement.workers[1].cpus), "96-127");
}

TEST_F(Placing, BindsOnlyOnTheRealMachine) {
  EXPECT_FALSE(placed(make_arm(kSame, 4)).workers[0].bind);
  EXPECT_FALSE(placed(make_arm(kSame, 4)).service("load")->bind);
  nodes_[0].topology.simulated = false;
  EXPECT_TRUE(placed(make_arm(kSame, 4)).workers[0].bind);
  EXPECT_TRUE(placed(make_arm(kSame, 4)).service("load")->bind);
  EXPECT_FALSE(placed(make_arm(kSame, 4)).workers[1].bind);
}

TEST_F(Placing, IsDeterministic) {
  const ArmSpec arm = make_arm(kCross, 2, 2);
  const Placement a = placed(arm);
  const Placement b = placed(arm);
  ASSERT_EQ(a.workers.size(), b.workers.size());
  for (std::size_t i = 0; i < a.workers.size(); ++i) {
    EXPECT_EQ(gpu_indices(a.workers[i].gpus), gpu_indices(b.workers[i].gpus));
    EXPECT_EQ(a.workers[i].cpus, b.workers[i].cpus);
    EXPECT_EQ(a.workers[i].port, b.workers[i].port);
  }
}

TEST_F(Placing, NamesEveryNodeThatCannotAndWhatToAsk) {
  nodes_ = {recorded_node("n1", {2, 3, 4}), recorded_node("n2", range(0, 7)),
            recorded_node("n3", {0, 1, 2})};
  const auto placement = try_place(make_arm(kCross, 4));
  ASSERT_FALSE(placement.ok());
  EXPECT_EQ(placement.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(placement.error().message,
            "arm 'arm' cannot be placed on the GPUs that the job holds:\n"
            "  n1: needs 2 + 2 free GPUs on two NUMA nodes for worker 1 of 1; free are NUMA 0: "
            "2-3; NUMA 1: 4\n"
            "  n3: needs 2 + 2 free GPUs on two NUMA nodes for worker 1 of 1; free are NUMA 0: "
            "0-2; NUMA 1: none\n"
            "Ask Slurm for whole nodes and choose there (--exclusive --gpus-per-node=8, "
            "placement.by: select), or let "
            "Slurm choose (--ntasks-per-node=1 -c 32 --sockets-per-node=2 --gpus-per-socket=2, "
            "placement.by: request)");
  EXPECT_THAT(try_place(make_arm(kSame, 4)).error().message,
              HasSubstr("(--ntasks-per-node=1 -c 32 --gpus-per-node=4, placement.by: request)"));
}

TEST_F(Placing, NamesTheNodeWithTooFewCpus) {
  nodes_[0].cpus = {0, 64};
  EXPECT_THAT(try_place(make_arm(kCross, 4)).error().message,
              HasSubstr("arm 'arm' has too few CPUs on n1: router needs 2 CPUs of its own"));
  nodes_.clear();
  EXPECT_EQ(try_place(make_arm(kSame, 4)).error().message, "no node to place on");
}

}  // namespace
}  // namespace sglexp
