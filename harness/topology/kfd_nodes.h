// SPDX-License-Identifier: Apache-2.0
// The raw nodes of the kernel's KFD topology, CPUs and GPUs alike, as sysfs lists them.
//
// Format: Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c. `properties` is "key value" lines;
// `gpu_id` is 0 for CPU nodes; link types are those of the CRAT table (kfd_crat.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace sglexp {

constexpr std::uint64_t kKfdLinkPcie = 2;
constexpr std::uint64_t kKfdLinkXgmi = 11;

using KfdProperties = std::map<std::string, std::uint64_t>;

struct KfdLink {
  std::uint64_t type = 0;
  int to = -1;  // node id
  int weight = 0;
};

struct KfdNode {
  int id = 0;
  bool is_gpu = false;
  KfdProperties properties;
  std::vector<KfdLink> io_links;   // direct
  std::vector<KfdLink> p2p_links;  // over the CPU, since Linux 5.20
};

struct KfdNodes {
  std::vector<KfdNode> nodes;  // by id, which is the order in which ROCr enumerates
  int hidden = 0;  // GPUs that the device cgroup keeps this process from reading (EPERM)
};

// kNotFound where <root>/sys/class/kfd/kfd/topology/nodes does not exist.
[[nodiscard]] Result<KfdNodes> read_kfd_nodes(const std::string& root);

}  // namespace sglexp
