// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/cpu_share.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

constexpr int kNoNuma = -1;  // CPUs of which the topology names no NUMA node

// Linux numbers the second hardware threads in a run of their own ("0-47,96-143"). Interleaving
// runs of equal length keeps the threads of a core together, so that a cut anywhere in the list
// gives two processes no core in common.
std::vector<int> in_core_order(const std::vector<int>& cpus) {
  std::vector<std::vector<int>> runs;
  for (const int cpu : cpus) {
    if (runs.empty() || runs.back().back() + 1 != cpu) {
      runs.emplace_back();
    }
    runs.back().push_back(cpu);
  }
  const bool equal = std::all_of(
      runs.begin(), runs.end(), [&](const auto& run) { return run.size() == runs.front().size(); });
  if (!equal) {
    return cpus;
  }
  std::vector<int> out;
  for (std::size_t i = 0; !runs.empty() && i < runs.front().size(); ++i) {
    for (const std::vector<int>& run : runs) {
      out.push_back(run[i]);
    }
  }
  return out;
}

class Sharing {
 public:
  Sharing(const PlacementNode& node, const CpuDemand& demand) : node_(node), demand_(demand) {
    std::set<int> rest(node.cpus.begin(), node.cpus.end());
    for (const NumaNode& numa : node.topology.numa_nodes) {
      std::vector<int>& pool = pools_[numa.id];
      for (const int cpu : in_core_order(numa.cpus)) {
        if (rest.erase(cpu) == 1) {
          pool.push_back(cpu);
        }
      }
    }
    if (!rest.empty()) {
      pools_[kNoNuma].assign(rest.begin(), rest.end());
    }
    for (const std::vector<Gpu>& gpus : demand.worker_gpus) {
      worker_pools_.push_back(pools_of(gpus));
      for (const Gpu& gpu : gpus) {
        ++gpus_used_[gpu.numa];
      }
    }
  }

  Result<CpuShares> share() {
    CpuShares out;
    for (const std::string& service : demand_.services) {
      SGLEXP_TRY(std::vector<int> cpus, take_for_service(service));
      out.services.push_back(std::move(cpus));
    }
    for (std::size_t i = 0; i < worker_pools_.size(); ++i) {
      SGLEXP_TRY(std::vector<int> cpus, take_for_worker(i));
      out.workers.push_back(std::move(cpus));
    }
    return out;
  }

 private:
  // A GPU whose NUMA node is unknown may be anywhere.
  [[nodiscard]] std::set<int> pools_of(const std::vector<Gpu>& gpus) const {
    std::set<int> ids;
    for (const Gpu& gpu : gpus) {
      if (pools_.contains(gpu.numa)) {
        ids.insert(gpu.numa);
      } else {
        for (const auto& [id, unused] : pools_) {
          ids.insert(id);
        }
      }
    }
    return ids;
  }

  // What services must leave of a pool for its workers.
  [[nodiscard]] std::size_t reserved(int id) const {
    std::size_t count = 0;
    for (const std::set<int>& pools : worker_pools_) {
      if (pools.contains(id)) {
        const auto wanted = static_cast<std::size_t>(std::max(demand_.cpus_per_worker, 1));
        count += (wanted + pools.size() - 1) / pools.size();
      }
    }
    return count;
  }
  [[nodiscard]] std::size_t spare(int id) const {
    const std::size_t size = pools_.at(id).size();
    return size - std::min(size, reserved(id));
  }

  Result<std::vector<int>> take_for_service(const std::string& name) {
    std::vector<int> ids;
    for (const auto& [id, unused] : pools_) {
      ids.push_back(id);
    }
    const auto used = [&](int id) { return gpus_used_.contains(id) ? gpus_used_.at(id) : 0; };
    std::sort(ids.begin(), ids.end(),
              [&](int a, int b) { return used(a) != used(b) ? used(a) < used(b) : a > b; });
    const auto wanted = static_cast<std::size_t>(std::max(demand_.service_cpus, 0));
    // One NUMA node if any has enough, else over several.
    const auto whole =
        std::find_if(ids.begin(), ids.end(), [&](int id) { return spare(id) >= wanted; });
    if (whole != ids.end()) {
      ids = {*whole};
    }
    std::vector<int> taken;
    for (const int id : ids) {
      for (std::size_t left = spare(id); left > 0 && taken.size() < wanted; --left) {
        taken.push_back(pools_[id].back());
        pools_[id].pop_back();
      }
    }
    if (taken.size() < wanted) {
      return short_of(
          fmt::format("{} needs {} CPUs of its own (placement.service_cpus)", name, wanted));
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  // The part of a pool that belongs to worker `index`.
  [[nodiscard]] std::vector<int> part_of(int id, std::size_t index) const {
    const std::vector<int>& pool = pools_.at(id);
    std::size_t before = 0;
    std::size_t after = 0;
    for (std::size_t i = 0; i < worker_pools_.size(); ++i) {
      if (i != index && worker_pools_[i].contains(id)) {
        ++(i < index ? before : after);
      }
    }
    const std::size_t sharers = before + 1 + after;
    const auto begin = pool.begin() + static_cast<std::ptrdiff_t>(pool.size() * before / sharers);
    const auto end =
        pool.begin() + static_cast<std::ptrdiff_t>(pool.size() * (before + 1) / sharers);
    return {begin, end};
  }

  Result<std::vector<int>> take_for_worker(std::size_t index) {
    std::vector<std::vector<int>> parts;
    std::size_t available = 0;
    for (const int id : worker_pools_[index]) {
      parts.push_back(part_of(id, index));
      available += parts.back().size();
    }
    const auto limit = static_cast<std::size_t>(std::max(demand_.cpus_per_worker, 0));
    const std::size_t wanted = limit > 0 ? limit : available;
    if (available < std::max<std::size_t>(wanted, 1)) {
      const std::vector<int> ids(worker_pools_[index].begin(), worker_pools_[index].end());
      return short_of(fmt::format("worker {} of {} needs {} on NUMA {}, where {} are left for it",
                                  index + 1, worker_pools_.size(),
                                  limit > 0 ? fmt::format("{} CPUs", limit) : "a CPU",
                                  format_ranges(ids), available));
    }
    // One from each NUMA node in turn, so that the shares differ by one at most unless a node runs
    // out.
    std::vector<int> taken;
    for (std::size_t round = 0; taken.size() < wanted; ++round) {
      for (std::size_t p = 0; p < parts.size() && taken.size() < wanted; ++p) {
        if (round < parts[p].size()) {
          taken.push_back(parts[p][round]);
        }
      }
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  [[nodiscard]] Error short_of(const std::string& who) const {
    std::vector<std::string> held;
    const std::set<int> mine(node_.cpus.begin(), node_.cpus.end());
    for (const NumaNode& numa : node_.topology.numa_nodes) {
      std::vector<int> cpus;
      std::copy_if(numa.cpus.begin(), numa.cpus.end(), std::back_inserter(cpus),
                   [&](int cpu) { return mine.contains(cpu); });
      held.push_back(
          fmt::format("NUMA {}: {}", numa.id, cpus.empty() ? "none" : format_ranges(cpus)));
    }
    return {ErrorCode::kInvalidInput, fmt::format("{}; the job holds CPUs {} ({})", who,
                                                  format_ranges(node_.cpus), join(held, "; "))};
  }

  const PlacementNode& node_;
  const CpuDemand& demand_;
  std::map<int, std::vector<int>> pools_;  // by NUMA node, in core order; shrinks as services take
  std::vector<std::set<int>> worker_pools_;
  std::map<int, int> gpus_used_;  // by NUMA node
};

}  // namespace

Result<CpuShares> share_cpus(const PlacementNode& node, const CpuDemand& demand) {
  return Sharing(node, demand).share();
}

}  // namespace sglexp
