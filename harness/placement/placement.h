// SPDX-License-Identifier: Apache-2.0
// Arm x topology x allocation -> which GPUs, CPUs and ports each process gets. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/scenario.h"
#include "harness/topology/topology.h"

namespace sglexp {

// A node as the job has it: verified facts, not requests.
struct PlacementNode {
  std::string name;
  std::string address;  // literal; engines bind to it
  Topology topology;
  std::vector<int> gpus;  // allocated, physical indices, sorted
  std::vector<int> cpus;  // allocated, OS indices in the topology's numbering, sorted
};

struct WorkerSpec {
  std::string name;  // "w0", unique in the slot
  std::string node;
  std::string address;
  int port = 0;
  std::vector<Gpu> gpus;       // in rank order
  std::vector<int> cpus;       // sorted; disjoint from every other process of the slot on the node
  std::vector<int> mem_nodes;  // NUMA nodes of its GPUs
  bool bind = true;            // false on a recorded topology: planned, recorded, not done
};

struct ServiceSpec {
  std::string name;  // "router", "load"
  std::string node;
  std::string address;
  int port = 0;  // 0: listens on nothing
  int metrics_port = 0;
  std::vector<int> cpus;
  bool bind = true;
};

struct Placement {
  std::vector<WorkerSpec> workers;
  std::vector<ServiceSpec> services;  // load always; router where the scenario has one
  [[nodiscard]] const ServiceSpec* service(std::string_view name) const;
};

struct PlacementRequest {
  const Scenario& scenario;
  const ArmSpec& arm;
  std::vector<PlacementNode> nodes;  // in job order; the first is the batch host
  int port_base = 20000;
  int port_count = 10000;
  std::uint64_t port_salt = 0;  // spreads jobs that share a node (job id, slot)
};

// Deterministic. Where the allocation cannot satisfy the policy, kInvalidInput says per node what
// is free by NUMA node and what to ask Slurm for.
[[nodiscard]] Result<Placement> place(const PlacementRequest& request);

// Does a placement do what the arm says? Empty: yes. Else the reason, naming node and GPUs.
[[nodiscard]] std::string placement_mismatch(const Placement& placement, const ArmSpec& arm);

}  // namespace sglexp
