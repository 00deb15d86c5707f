// SPDX-License-Identifier: Apache-2.0
// What this room's tests build on: recorded nodes, arms, and short views of a placement.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/placement/placement.h"

namespace sglexp {

inline Topology recorded_topology(const std::string& name) {
  auto topology =
      load_recorded_topology(std::string(SGLEXP_SOURCE_DIR) + "/fixtures/topologies/" + name);
  EXPECT_TRUE(topology.ok()) << (topology.ok() ? "" : topology.error().message);
  return topology.ok() ? std::move(topology).value() : Topology{};
}

inline std::vector<int> range(int first, int last) {
  std::vector<int> out;
  for (int i = first; i <= last; ++i) {
    out.push_back(i);
  }
  return out;
}

inline std::vector<int> all_cpus(const Topology& topology) {
  std::vector<int> cpus;
  for (const NumaNode& numa : topology.numa_nodes) {
    cpus.insert(cpus.end(), numa.cpus.begin(), numa.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

// A node of the job that holds `gpus` and every CPU.
inline PlacementNode recorded_node(const std::string& name, std::vector<int> gpus,
                                   const std::string& topology = "mi210_2hives.json") {
  PlacementNode node{name,
                     "127.0.0." + std::to_string(name.back()),
                     recorded_topology(topology),
                     std::move(gpus),
                     {}};
  node.cpus = all_cpus(node.topology);
  return node;
}

inline ArmSpec make_arm(PlacementPolicy policy, int tp, int workers_per_node = 1) {
  ArmSpec arm;
  arm.name = "arm";
  arm.placement.policy = policy;
  arm.engine.tp = tp;
  arm.engine.workers_per_node = workers_per_node;
  return arm;
}

inline std::vector<int> gpu_indices(const std::vector<Gpu>& gpus) {
  std::vector<int> out;
  for (const Gpu& gpu : gpus) {
    out.push_back(gpu.index);
  }
  return out;
}

}  // namespace sglexp
