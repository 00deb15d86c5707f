// SPDX-License-Identifier: Apache-2.0
// Which of a node's allocated CPUs each worker and service gets: disjoint, and each worker beside
// its GPUs.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/placement/placement.h"

namespace sglexp {

struct CpuDemand {
  std::vector<std::vector<Gpu>> worker_gpus;  // one list a worker
  int cpus_per_worker = 0;                    // 0: all that is left on its GPUs' NUMA nodes
  std::vector<std::string> services;          // names, of those on this node
  int service_cpus = 0;                       // each
};

struct CpuShares {  // in the order of the demand; each list sorted
  std::vector<std::vector<int>> workers;
  std::vector<std::vector<int>> services;
};

// Services take the highest CPUs of the NUMA nodes that hold the fewest workers' GPUs; what is left
// of a NUMA node is shared equally by the workers that have a GPU there. kInvalidInput says who
// goes short and what the job holds, without the node's name.
[[nodiscard]] Result<CpuShares> share_cpus(const PlacementNode& node, const CpuDemand& demand);

}  // namespace sglexp
