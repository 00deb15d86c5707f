// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/gpu_choice.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

using Gpus = std::vector<Gpu>;

std::string index_list(const Gpus& gpus) {
  std::vector<int> indices;
  for (const Gpu& gpu : gpus) {
    indices.push_back(gpu.index);
  }
  std::sort(indices.begin(), indices.end());
  return indices.empty() ? "none" : format_ranges(indices);
}

struct NumaGroup {
  int numa = 0;
  Gpus gpus;  // by index
};

// Most GPUs first, ties by id.
std::vector<NumaGroup> group_by_numa(const Gpus& gpus) {
  std::map<int, Gpus> by_id;
  for (const Gpu& gpu : gpus) {
    if (gpu.numa >= 0) {
      by_id[gpu.numa].push_back(gpu);
    }
  }
  std::vector<NumaGroup> groups;
  for (auto& [numa, members] : by_id) {
    groups.push_back({numa, std::move(members)});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const NumaGroup& a, const NumaGroup& b) {
    return a.gpus.size() > b.gpus.size();
  });
  return groups;
}

std::string describe_free(const PlacementNode& node, const Gpus& free) {
  std::map<int, Gpus> by_numa;
  for (const Gpu& gpu : node.topology.gpus) {
    by_numa[gpu.numa];
  }
  for (const Gpu& gpu : free) {
    by_numa[gpu.numa].push_back(gpu);
  }
  std::vector<std::string> parts;
  for (const auto& [numa, gpus] : by_numa) {
    const std::string name = numa < 0 ? "NUMA unknown" : fmt::format("NUMA {}", numa);
    parts.push_back(fmt::format("{}: {}", name, index_list(gpus)));
  }
  return join(parts, "; ");
}

Gpus first(const Gpus& gpus, std::size_t count) {
  return {gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::optional<Gpus> take_same_numa(const Gpus& free, std::size_t count) {
  const std::vector<NumaGroup> groups = group_by_numa(free);
  return groups.empty() || groups.front().gpus.size() < count
             ? std::nullopt
             : std::optional(first(groups.front().gpus, count));
}

std::optional<Gpus> take_cross_numa(const Gpus& free, std::size_t count) {
  const std::vector<NumaGroup> groups = group_by_numa(free);
  for (std::size_t over = 2; over <= std::min(groups.size(), count); ++over) {
    Gpus taken;
    for (std::size_t i = 0; i < over; ++i) {
      const std::size_t part = count / over + (i < count % over ? 1 : 0);
      if (groups[i].gpus.size() >= part) {
        const Gpus some = first(groups[i].gpus, part);
        taken.insert(taken.end(), some.begin(), some.end());
      }
    }
    if (taken.size() == count) {
      std::sort(taken.begin(), taken.end(),
                [](const Gpu& a, const Gpu& b) { return a.index < b.index; });
      return taken;
    }
  }
  return std::nullopt;
}

std::optional<Gpus> take(PlacementPolicy policy, const Gpus& free, std::size_t count) {
  switch (policy) {
    case PlacementPolicy::kSameNuma:
      return take_same_numa(free, count);
    case PlacementPolicy::kCrossNuma:
      return take_cross_numa(free, count);
    case PlacementPolicy::kPack:
    case PlacementPolicy::kExplicit:
      break;
  }
  return free.size() < count ? std::nullopt : std::optional(first(free, count));
}

std::string describe_need(PlacementPolicy policy, int tp) {
  switch (policy) {
    case PlacementPolicy::kSameNuma:
      return fmt::format("{} free GPUs on one NUMA node", tp);
    case PlacementPolicy::kCrossNuma:
      return fmt::format("{} + {} free GPUs on two NUMA nodes", tp - tp / 2, tp / 2);
    case PlacementPolicy::kPack:
    case PlacementPolicy::kExplicit:
      break;
  }
  return fmt::format("{} free GPUs", tp);
}

void remove(Gpus& free, const Gpus& taken) {
  std::erase_if(free, [&](const Gpu& gpu) {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const Gpu& other) { return other.pci == gpu.pci; });
  });
}

Result<std::vector<Gpus>> choose_by_policy(const PlacementNode& node, const ArmSpec& arm,
                                           Gpus free) {
  const PlacementPolicy policy = arm.placement.policy;
  const bool numa_matters =
      policy == PlacementPolicy::kSameNuma || policy == PlacementPolicy::kCrossNuma;
  if (numa_matters && !free.empty() && group_by_numa(free).empty()) {
    return Error{
        ErrorCode::kInvalidInput,
        "the platform does not say which NUMA node its GPUs belong to (numa_node is -1): use "
        "placement.policy pack or explicit"};
  }
  std::vector<Gpus> workers;
  for (int i = 0; i < arm.engine.workers_per_node; ++i) {
    const auto taken = take(policy, free, static_cast<std::size_t>(arm.engine.tp));
    if (!taken) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("needs {} for worker {} of {}; free are {}",
                               describe_need(policy, arm.engine.tp), i + 1,
                               arm.engine.workers_per_node, describe_free(node, free))};
    }
    remove(free, *taken);
    workers.push_back(*taken);
  }
  return workers;
}

std::vector<Gpus> in_slices(const Gpus& gpus, std::size_t size) {
  std::vector<Gpus> slices;
  for (std::size_t i = 0; i + size <= gpus.size(); i += size) {
    const auto begin = gpus.begin() + static_cast<std::ptrdiff_t>(i);
    slices.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return slices;
}

std::size_t gpus_needed(const ArmSpec& arm) {
  return static_cast<std::size_t>(arm.engine.tp) *
         static_cast<std::size_t>(arm.engine.workers_per_node);
}

Result<std::vector<Gpus>> choose_explicit(const ArmSpec& arm, const Gpus& free) {
  const std::vector<std::string>& entries = arm.placement.gpus;
  if (entries.size() != gpus_needed(arm)) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("placement.gpus names {} GPUs, {} x tp {} needs {}", entries.size(),
                             arm.engine.workers_per_node, arm.engine.tp, gpus_needed(arm))};
  }
  Gpus chosen;
  Gpus left = free;
  for (const std::string& entry : entries) {
    const auto found = std::find_if(left.begin(), left.end(),
                                    [&](const Gpu& gpu) { return names_gpu(entry, gpu); });
    if (found == left.end()) {
      return Error{
          ErrorCode::kInvalidInput,
          fmt::format(
              "placement.gpus names GPU {}, which the job does not hold here or which is named "
              "twice; it holds {}",
              printable(entry, 40), index_list(free))};
    }
    chosen.push_back(*found);
    left.erase(found);
  }
  return in_slices(chosen, static_cast<std::size_t>(arm.engine.tp));
}

// Slurm chose: every GPU is used. The policy only says how several workers share them; where it
// cannot be kept they share by index, and the mismatch is for placement_mismatch() to name.
Result<std::vector<Gpus>> choose_requested(const PlacementNode& node, const ArmSpec& arm,
                                           const Gpus& allocated) {
  if (allocated.size() != gpus_needed(arm)) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("Slurm gave {} GPUs ({}), {} x tp {} needs exactly {}",
                             allocated.size(), index_list(allocated), arm.engine.workers_per_node,
                             arm.engine.tp, gpus_needed(arm))};
  }
  auto chosen = choose_by_policy(node, arm, allocated);
  return chosen.ok() ? chosen : in_slices(allocated, static_cast<std::size_t>(arm.engine.tp));
}

}  // namespace

bool names_gpu(std::string_view entry, const Gpu& gpu) {
  return entry == std::to_string(gpu.index) ||
         std::equal(entry.begin(), entry.end(), gpu.pci.begin(), gpu.pci.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'F' ? a - 'A' + 'a' : a) == b; });
}

Result<std::vector<std::vector<Gpu>>> choose_gpus(const PlacementNode& node, const ArmSpec& arm) {
  if (arm.engine.tp < 1 || arm.engine.workers_per_node < 1) {
    return Error{ErrorCode::kInvalidInput, "tp and workers_per_node must be at least 1"};
  }
  Gpus allocated;
  for (const int index : node.gpus) {
    const Gpu* const gpu = node.topology.find_index(index);
    if (gpu == nullptr) {
      return Error{
          ErrorCode::kInvalidInput,
          fmt::format("the job holds GPU {}, which its topology ({}) does not have: it has {}",
                      index, node.topology.source, index_list(node.topology.gpus))};
    }
    allocated.push_back(*gpu);
  }
  if (arm.placement.by == PlacementBy::kRequest) {
    return choose_requested(node, arm, allocated);
  }
  return arm.placement.policy == PlacementPolicy::kExplicit
             ? choose_explicit(arm, allocated)
             : choose_by_policy(node, arm, allocated);
}

}  // namespace sglexp
