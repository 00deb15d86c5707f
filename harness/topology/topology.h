// SPDX-License-Identifier: Apache-2.0
// GPUs, NUMA nodes and links of one node: a plain value, whatever it was read from.
//
// A GPU's identity is its PCI bus address. `index` is Slurm's global order: the rank of the PCI
// address among all GPUs of the node, also those that a device cgroup hides from this process (so
// that indices may have gaps). It is only a position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace sglexp {

enum class LinkType { kSelf, kXgmi, kNvlink, kPcie, kUnknown };
[[nodiscard]] std::string_view link_type_name(LinkType type);  // self, xgmi, nvlink, pcie, unknown

struct Gpu {
  int index = 0;
  std::string pci;              // "0000:05:00.0", lower case
  int numa = -1;                // -1: the platform does not say
  int hive = -1;                // connected component of XGMI links; -1: linked to no other GPU
  std::string arch;             // "gfx90a"
  std::string model;            // "AMD Instinct MI210"; empty where the firmware does not say
  std::uint64_t unique_id = 0;  // 0 unknown; ROCr's UUID is GPU-%016x of it
  int render_minor = -1;        // /dev/dri/renderD<minor>
  int kfd_node = -1;            // ROCr and HIP enumerate in this order; -1 unknown: as `index`
  std::int64_t vram_bytes = 0;
};

struct NumaNode {
  int id = 0;
  std::vector<int> cpus;  // sorted OS indices
  std::int64_t memory_bytes = 0;
};

struct Link {
  LinkType type = LinkType::kUnknown;
  int weight = 0;  // ROCm's: 15 one XGMI hop, 40 PCIe same CPU, 72 across sockets; 0 unknown
  int hops = 0;
};

struct Topology {
  std::string source;                // "sysfs", "recorded:mi210_2hives.json" ...
  bool simulated = false;            // a recording: nothing may be bound on it
  std::vector<Gpu> gpus;             // ordered by index
  std::vector<NumaNode> numa_nodes;  // ordered by id
  std::vector<std::vector<Link>>
      links;  // square, symmetric, in the order of `gpus`; empty if unknown

  [[nodiscard]] const Gpu* find_pci(std::string_view pci) const;
  [[nodiscard]] const Gpu* find_index(int index) const;
  [[nodiscard]] const NumaNode* find_numa(int id) const;
  // By GPU index; unknown where either GPU or the whole matrix is unknown.
  [[nodiscard]] Link link(int a, int b) const;
};

// JSON form ("schema": "sglexp-topology/1", fields in fixtures/topologies/README.md). Strict: an
// unknown key, a wrong type or range, an asymmetric matrix is kInvalidInput naming source and path
// ("mi210.json: gpus[2].pci: ..."). Hives are computed from the links. The text's own "source" and
// "simulated" hold; without them it is `source` and a simulation.
[[nodiscard]] Result<Topology> parse_topology_json(std::string_view json, std::string_view source);
[[nodiscard]] std::string topology_to_json(const Topology& topology);

// A recording used in place of this machine: always simulated, source "recorded:<file name>".
[[nodiscard]] Result<Topology> load_recorded_topology(const std::string& path);

// Reads <root>/sys/class/kfd/kfd/topology, <root>/sys/bus/pci and <root>/sys/devices/system/node,
// with <root> = "/" for the live machine or a fixture tree. GPUs whose KFD properties the device
// cgroup forbids to read are left out. No GPU driver at all is kNotFound, with what was looked for.
[[nodiscard]] Result<Topology> read_sysfs_topology(const std::string& root);

// Sets Gpu::hive from the links: connected components of XGMI with at least two GPUs, numbered
// 0, 1, ... in the order of their lowest GPU index.
void assign_hives(Topology& topology);

}  // namespace sglexp
