// SPDX-License-Identifier: Apache-2.0
// CPU affinity and memory policy of this process, set and then read back from the kernel.
#pragma once

#include <vector>

#include "harness/base/result.h"

namespace sglexp {

struct BindingObserved {
  std::vector<int> cpus;  // /proc/self/status Cpus_allowed_list
  std::vector<int>
      mems_allowed;            // /proc/self/status Mems_allowed_list: the cpuset's, never narrower
  std::vector<int> mem_nodes;  // nodes of the memory policy; empty: the default policy
};

// Binds the calling process to `cpus` and its memory strictly to `mem_nodes` (both OS indices; no
// memory nodes: the policy stays as it is). Children inherit both. Call it before any other thread
// exists: a memory policy belongs to one thread. kInvalidInput where the kernel did not do exactly
// that (a CPU or node outside the cpuset); kUnavailable where it refuses or hwloc does not describe
// this machine. After an error the binding is unspecified.
[[nodiscard]] Result<BindingObserved> bind_self(const std::vector<int>& cpus,
                                                const std::vector<int>& mem_nodes);

}  // namespace sglexp
