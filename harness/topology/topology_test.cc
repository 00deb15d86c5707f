// SPDX-License-Identifier: Apache-2.0
#include "harness/topology/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::ElementsAre;

// `xgmi` pairs are positions; every other pair is PCIe.
Topology make_topology(const std::vector<int>& indices,
                       const std::vector<std::pair<int, int>>& xgmi) {
  Topology topology;
  const std::size_t size = indices.size();
  topology.links.assign(size, std::vector<Link>(size, {LinkType::kPcie, 40, 2}));
  for (std::size_t i = 0; i < size; ++i) {
    Gpu gpu;
    gpu.index = indices[i];
    gpu.pci = "0000:0" + std::to_string(i) + ":00.0";
    topology.gpus.push_back(gpu);
    topology.links[i][i] = {LinkType::kSelf, 0, 0};
  }
  for (const auto& [a, b] : xgmi) {
    const auto row = static_cast<std::size_t>(a);
    const auto column = static_cast<std::size_t>(b);
    topology.links[row][column] = topology.links[column][row] = {LinkType::kXgmi, 15, 1};
  }
  return topology;
}

std::vector<int> hives(Topology topology) {
  assign_hives(topology);
  std::vector<int> out;
  for (const Gpu& gpu : topology.gpus) {
    out.push_back(gpu.hive);
  }
  return out;
}

TEST(Hives, AreConnectedComponentsNotCliques) {
  // A chain 0-2-4 and a pair 1-3; GPU 5 is alone.
  EXPECT_THAT(hives(make_topology({0, 1, 2, 3, 4, 5}, {{2, 4}, {0, 2}, {1, 3}})),
              ElementsAre(0, 1, 0, 1, 0, -1));
}

TEST(Hives, AreNumberedByTheirLowestGpuHoweverTheyWereJoined) {
  EXPECT_THAT(hives(make_topology({0, 1, 2, 3, 4, 5}, {{1, 5}, {2, 3}, {0, 5}})),
              ElementsAre(0, 0, 1, 1, -1, 0));
}

TEST(Hives, AreNoneWithoutLinks) {
  Topology topology = make_topology({0, 1}, {});
  topology.links.clear();
  EXPECT_THAT(hives(topology), ElementsAre(-1, -1));
}

TEST(Topology, FindsByEveryKey) {
  Topology topology = make_topology({2, 5}, {});
  topology.numa_nodes = {{3, {0, 1}, 0}};
  EXPECT_EQ(topology.find_index(5), &topology.gpus[1]);
  EXPECT_EQ(topology.find_index(0), nullptr);
  EXPECT_EQ(topology.find_pci("0000:00:00.0"), &topology.gpus[0]);
  EXPECT_EQ(topology.find_pci("0000:00:00"), nullptr);
  EXPECT_EQ(topology.find_numa(3), &topology.numa_nodes[0]);
  EXPECT_EQ(topology.find_numa(0), nullptr);
}

TEST(Topology, LinksAreFoundByIndexEvenWhereIndicesHaveGaps) {
  const Topology topology = make_topology({4, 5, 7}, {{0, 2}});
  EXPECT_EQ(topology.link(4, 7).type, LinkType::kXgmi);
  EXPECT_EQ(topology.link(7, 4).weight, 15);
  EXPECT_EQ(topology.link(4, 5).type, LinkType::kPcie);
  EXPECT_EQ(topology.link(5, 5).type, LinkType::kSelf);
  EXPECT_EQ(topology.link(4, 6).type, LinkType::kUnknown);
}

TEST(Topology, WithoutAMatrixEveryLinkIsUnknown) {
  Topology topology = make_topology({0, 1}, {});
  topology.links.clear();
  EXPECT_EQ(topology.link(0, 1).type, LinkType::kUnknown);
  EXPECT_EQ(topology.link(0, 0).type, LinkType::kSelf);
}

}  // namespace
}  // namespace sglexp
