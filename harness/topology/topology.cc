// SPDX-License-Identifier: Apache-2.0
#include "harness/topology/topology.h"

#include <algorithm>
#include <numeric>

namespace sglexp {

namespace {

template <typename T, typename Matches>
const T* find_where(const std::vector<T>& items, Matches matches) {
  const auto found = std::find_if(items.begin(), items.end(), matches);
  return found == items.end() ? nullptr : &*found;
}

std::size_t root_of(std::vector<std::size_t>& parents, std::size_t i) {
  while (parents[i] != i) {
    parents[i] = parents[parents[i]];
    i = parents[i];
  }
  return i;
}

}  // namespace

std::string_view link_type_name(LinkType type) {
  switch (type) {
    case LinkType::kSelf:
      return "self";
    case LinkType::kXgmi:
      return "xgmi";
    case LinkType::kNvlink:
      return "nvlink";
    case LinkType::kPcie:
      return "pcie";
    case LinkType::kUnknown:
      break;
  }
  return "unknown";
}

const Gpu* Topology::find_pci(std::string_view pci) const {
  return find_where(gpus, [&](const Gpu& gpu) { return gpu.pci == pci; });
}

const Gpu* Topology::find_index(int index) const {
  return find_where(gpus, [&](const Gpu& gpu) { return gpu.index == index; });
}

const NumaNode* Topology::find_numa(int id) const {
  return find_where(numa_nodes, [&](const NumaNode& node) { return node.id == id; });
}

Link Topology::link(int a, int b) const {
  const Gpu* const from = find_index(a);
  const Gpu* const to = find_index(b);
  if (from == nullptr || to == nullptr) {
    return {};
  }
  if (a == b) {
    return {LinkType::kSelf, 0, 0};
  }
  const auto row = static_cast<std::size_t>(from - gpus.data());
  const auto column = static_cast<std::size_t>(to - gpus.data());
  return row < links.size() && column < links[row].size() ? links[row][column] : Link{};
}

void assign_hives(Topology& topology) {
  std::vector<std::size_t> parents(topology.gpus.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  std::vector<bool> linked(parents.size(), false);
  for (std::size_t i = 0; i < std::min(parents.size(), topology.links.size()); ++i) {
    for (std::size_t j = 0; j < std::min(parents.size(), topology.links[i].size()); ++j) {
      if (i != j && topology.links[i][j].type == LinkType::kXgmi) {
        linked[i] = linked[j] = true;
        // The lower root wins, so that a root is its hive's first GPU.
        const auto [low, high] = std::minmax({root_of(parents, i), root_of(parents, j)});
        parents[high] = low;
      }
    }
  }
  int hives = 0;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const std::size_t first = root_of(parents, i);
    topology.gpus[i].hive = !linked[i] ? -1 : first == i ? hives++ : topology.gpus[first].hive;
  }
}

}  // namespace sglexp
