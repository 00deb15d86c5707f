// SPDX-License-Identifier: Apache-2.0
// Is a placement what the arm says? Asked of plans and of what was found on the nodes.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/placement/gpu_choice.h"
#include "harness/placement/placement.h"

namespace sglexp {

namespace {

std::string describe_gpus(const WorkerSpec& worker) {
  std::vector<std::string> parts;
  for (const Gpu& gpu : worker.gpus) {
    parts.push_back(gpu.numa < 0 ? fmt::format("{} (NUMA unknown)", gpu.index)
                                 : fmt::format("{} (NUMA {})", gpu.index, gpu.numa));
  }
  return fmt::format("{} on {} has GPUs {}", worker.name, worker.node,
                     parts.empty() ? "none" : join(parts, ", "));
}

std::map<int, int> gpus_per_numa(const WorkerSpec& worker) {
  std::map<int, int> counts;
  for (const Gpu& gpu : worker.gpus) {
    ++counts[gpu.numa];
  }
  return counts;
}

bool on_one_numa(const WorkerSpec& worker) {
  const std::map<int, int> counts = gpus_per_numa(worker);
  return counts.size() == 1 && !counts.contains(-1);
}

// Equal parts: where tp does not divide, they differ by one.
bool evenly_over_numas(const WorkerSpec& worker) {
  const std::map<int, int> counts = gpus_per_numa(worker);
  const auto [least, most] =
      std::minmax_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  return counts.size() >= 2 && !counts.contains(-1) && most->second - least->second <= 1;
}

// `rank` of the worker on its node says which slice of the list is its.
bool as_listed(const WorkerSpec& worker, const std::vector<std::string>& entries,
               std::size_t rank) {
  const std::size_t begin = rank * worker.gpus.size();
  for (std::size_t i = 0; i < worker.gpus.size(); ++i) {
    if (begin + i >= entries.size() || !names_gpu(entries[begin + i], worker.gpus[i])) {
      return false;
    }
  }
  return true;
}

std::string policy_trouble(const WorkerSpec& worker, const ArmSpec& arm, std::size_t rank) {
  switch (arm.placement.policy) {
    case PlacementPolicy::kSameNuma:
      return on_one_numa(worker) ? "" : "same_numa wants them on one NUMA node";
    case PlacementPolicy::kCrossNuma:
      return evenly_over_numas(worker) ? ""
                                       : "cross_numa wants equal parts on two or more NUMA nodes";
    case PlacementPolicy::kExplicit:
      return as_listed(worker, arm.placement.gpus, rank)
                 ? ""
                 : fmt::format("placement.gpus wants {} in this order",
                               join(arm.placement.gpus, ", "));
    case PlacementPolicy::kPack:
      break;
  }
  return "";
}

}  // namespace

std::string placement_mismatch(const Placement& placement, const ArmSpec& arm) {
  std::vector<std::string> troubles;
  std::set<std::pair<std::string, std::string>> taken;
  std::map<std::string, std::size_t> workers_on;
  for (const WorkerSpec& worker : placement.workers) {
    if (worker.gpus.size() != static_cast<std::size_t>(arm.engine.tp)) {
      troubles.push_back(fmt::format("{}, tp is {}", describe_gpus(worker), arm.engine.tp));
      continue;
    }
    for (const Gpu& gpu : worker.gpus) {
      if (!taken.emplace(worker.node, gpu.pci).second) {
        troubles.push_back(
            fmt::format("GPU {} ({}) of {} is planned twice", gpu.index, gpu.pci, worker.node));
      }
    }
    const std::string trouble = policy_trouble(worker, arm, workers_on[worker.node]++);
    if (!trouble.empty()) {
      troubles.push_back(fmt::format("{}: {}", describe_gpus(worker), trouble));
    }
  }
  if (placement.workers.empty()) {
    troubles.emplace_back("no worker is placed");
  }
  return join(troubles, "; ");
}

}  // namespace sglexp
