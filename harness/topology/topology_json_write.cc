// SPDX-License-Identifier: Apache-2.0
// Topology -> the recorded form that topology_json.cc reads.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/topology/topology.h"

namespace sglexp {

namespace {

using Json = nlohmann::ordered_json;

Json gpu_to_json(const Gpu& gpu) {
  return {{"index", gpu.index},
          {"pci", gpu.pci},
          {"numa", gpu.numa},
          {"arch", gpu.arch},
          {"model", gpu.model},
          // Text: JSON numbers lose bits above 2^53 in many readers.
          {"unique_id", fmt::format("0x{:016x}", gpu.unique_id)},
          {"render_minor", gpu.render_minor},
          {"kfd_node", gpu.kfd_node},
          {"vram", format_size(gpu.vram_bytes)}};
}

Json links_to_json(const std::vector<std::vector<Link>>& links) {
  Json type = Json::array();
  Json weight = Json::array();
  Json hops = Json::array();
  for (const std::vector<Link>& row : links) {
    type.push_back(Json::array());
    weight.push_back(Json::array());
    hops.push_back(Json::array());
    for (const Link& link : row) {
      type.back().push_back(link_type_name(link.type));
      weight.back().push_back(link.weight);
      hops.back().push_back(link.hops);
    }
  }
  return {{"type", std::move(type)}, {"weight", std::move(weight)}, {"hops", std::move(hops)}};
}

}  // namespace

std::string topology_to_json(const Topology& topology) {
  Json out = {{"schema", "sglexp-topology/1"},
              {"source", topology.source},
              {"simulated", topology.simulated},
              {"gpus", Json::array()},
              {"numa_nodes", Json::array()}};
  for (const Gpu& gpu : topology.gpus) {
    out["gpus"].push_back(gpu_to_json(gpu));
  }
  for (const NumaNode& node : topology.numa_nodes) {
    out["numa_nodes"].push_back({{"id", node.id},
                                 {"cpus", format_ranges(node.cpus)},
                                 {"memory", format_size(node.memory_bytes)}});
  }
  if (!topology.links.empty()) {
    out["links"] = links_to_json(topology.links);
  }
  // Names come from firmware and file names, which may be any bytes; dump() throws on invalid
  // UTF-8.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sglexp
