// SPDX-License-Identifier: Apache-2.0
#include "harness/topology/binding.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/sys/proc_fs.h"

namespace sglexp {

namespace {

struct FreeTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HostTopology = std::unique_ptr<hwloc_topology, FreeTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap make_bitmap(const std::vector<int>& indices) {
  Bitmap bitmap(hwloc_bitmap_alloc());
  for (const int index : indices) {
    hwloc_bitmap_set(bitmap.get(), static_cast<unsigned>(index));
  }
  return bitmap;
}

std::vector<int> bitmap_indices(const Bitmap& bitmap) {
  std::vector<int> indices;
  if (hwloc_bitmap_weight(bitmap.get()) > 0) {  // -1: infinite
    for (int i = hwloc_bitmap_first(bitmap.get()); i >= 0; i = hwloc_bitmap_next(bitmap.get(), i)) {
      indices.push_back(i);
    }
  }
  return indices;
}

Error refused(const std::string& what, int number) {
  const ErrorCode code = number == EINVAL ? ErrorCode::kInvalidInput : ErrorCode::kUnavailable;
  return {code, fmt::format("{}: {}", what, std::strerror(number))};
}

Result<HostTopology> load_host() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return refused("hwloc_topology_init", errno);
  }
  HostTopology host(raw);
  if (hwloc_topology_load(raw) != 0) {
    return refused("hwloc_topology_load", errno);
  }
  // With HWLOC_XMLFILE or HWLOC_SYNTHETIC in the environment every binding call succeeds and does
  // nothing.
  if (hwloc_topology_is_thissystem(raw) == 0) {
    return Error{
        ErrorCode::kUnavailable,
        "hwloc does not describe this machine, so nothing can be bound: unset HWLOC_XMLFILE, "
        "HWLOC_SYNTHETIC and HWLOC_COMPONENTS"};
  }
  return host;
}

Result<std::vector<int>> status_list(const char* field) {
  const auto text = process_status_field(getpid(), field);
  const auto list = text ? parse_ranges(*text) : std::nullopt;
  if (!list) {
    return Error{ErrorCode::kUnavailable, fmt::format("/proc/self/status has no {}", field)};
  }
  return *list;
}

Result<std::vector<int>> read_memory_policy(hwloc_topology_t host) {
  const Bitmap nodes(hwloc_bitmap_alloc());
  hwloc_membind_policy_t policy = HWLOC_MEMBIND_DEFAULT;
  if (hwloc_get_membind(host, nodes.get(), &policy,
                        HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) != 0) {
    return refused("reading the memory policy back", errno);
  }
  return policy == HWLOC_MEMBIND_BIND ? bitmap_indices(nodes) : std::vector<int>{};
}

Result<std::vector<int>> normalised(std::vector<int> indices, const char* what) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  if (!indices.empty() && indices.front() < 0) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("{} {} cannot be bound to", what, indices.front())};
  }
  return indices;
}

Result<std::vector<int>> bind_cpus(hwloc_topology_t host, const std::vector<int>& cpus) {
  if (hwloc_set_cpubind(host, make_bitmap(cpus).get(), HWLOC_CPUBIND_PROCESS) != 0) {
    const int number = errno;
    SGLEXP_TRY(const std::vector<int> now, status_list("Cpus_allowed_list"));
    return refused(fmt::format("binding to CPUs {} (allowed now: {})", format_ranges(cpus),
                               format_ranges(now)),
                   number);
  }
  SGLEXP_TRY(const std::vector<int> observed, status_list("Cpus_allowed_list"));
  if (observed != cpus) {
    return Error{
        ErrorCode::kInvalidInput,
        fmt::format("asked for CPUs {}, the kernel gave {}: the others are outside this job's "
                    "CPU set or offline",
                    format_ranges(cpus), format_ranges(observed))};
  }
  return observed;
}

Status bind_memory(hwloc_topology_t host, const std::vector<int>& mem_nodes,
                   const std::vector<int>& allowed) {
  const auto outside = std::find_if(mem_nodes.begin(), mem_nodes.end(), [&](int node) {
    return !std::binary_search(allowed.begin(), allowed.end(), node);
  });
  if (outside != mem_nodes.end()) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("memory of NUMA node {} is not allowed to this process (allowed: {})",
                             *outside, format_ranges(allowed))};
  }
  // STRICT makes it MPOL_BIND; without it memory may come from elsewhere in silence.
  const int flags = HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_STRICT | HWLOC_MEMBIND_BYNODESET;
  if (hwloc_set_membind(host, make_bitmap(mem_nodes).get(), HWLOC_MEMBIND_BIND, flags) != 0) {
    return refused(fmt::format("binding memory to NUMA nodes {}", format_ranges(mem_nodes)), errno);
  }
  return Ok{};
}

}  // namespace

Result<BindingObserved> bind_self(const std::vector<int>& cpus, const std::vector<int>& mem_nodes) {
  SGLEXP_TRY(const std::vector<int> wanted_cpus, normalised(cpus, "CPU"));
  SGLEXP_TRY(const std::vector<int> wanted_nodes, normalised(mem_nodes, "NUMA node"));
  if (wanted_cpus.empty()) {
    return Error{ErrorCode::kInvalidInput, "no CPU to bind to"};
  }
  SGLEXP_TRY(const HostTopology host, load_host());
  BindingObserved observed;
  SGLEXP_TRY(observed.cpus, bind_cpus(host.get(), wanted_cpus));
  SGLEXP_TRY(observed.mems_allowed, status_list("Mems_allowed_list"));
  if (!wanted_nodes.empty()) {
    SGLEXP_CHECK(bind_memory(host.get(), wanted_nodes, observed.mems_allowed));
  }
  SGLEXP_TRY(observed.mem_nodes, read_memory_policy(host.get()));
  if (!wanted_nodes.empty() && observed.mem_nodes != wanted_nodes) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("asked for memory of NUMA nodes {}, the kernel gave {}",
                             format_ranges(wanted_nodes), format_ranges(observed.mem_nodes))};
  }
  return observed;
}

}  // namespace sglexp
