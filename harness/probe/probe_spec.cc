// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/probe_spec.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sglexp {

namespace {

using nlohmann::json;

}  // namespace

std::string probe_spec_to_json(const ProbeSpec& spec) {
  json out = {{"node", spec.node},
              {"address", spec.address},
              {"job_nodes", spec.job_nodes},
              {"allocated_gpus", spec.allocated_gpus},
              {"allocated_cpus", spec.allocated_cpus},
              {"topology_file", spec.topology_file},
              {"cache_root", spec.cache_root},
              {"programs", spec.programs},
              {"time_server", spec.time_server},
              {"time_server_port", spec.time_server_port},
              {"loopback_addresses", spec.loopback_addresses},
              {"clock_offset_ns", spec.clock_offset.count()},
              {"levels", json::object()}};
  if (spec.limits.open_files) {
    out["open_files"] = *spec.limits.open_files;
  }
  if (spec.limits.memlock) {
    out["memlock"] = *spec.limits.memlock;
  }
  for (const auto& [id, level] : spec.levels) {
    out["levels"][id] = static_cast<int>(level);
  }
  return out.dump();
}

Result<ProbeSpec> parse_probe_spec(std::string_view text) {
  try {
    const json in = json::parse(text);
    ProbeSpec spec{.node = in.at("node"),
                   .address = in.at("address"),
                   .job_nodes = in.at("job_nodes"),
                   .allocated_gpus = in.at("allocated_gpus"),
                   .allocated_cpus = in.at("allocated_cpus"),
                   .topology_file = in.at("topology_file"),
                   .cache_root = in.at("cache_root"),
                   .programs = in.at("programs"),
                   .time_server = in.at("time_server"),
                   .time_server_port = in.at("time_server_port"),
                   .loopback_addresses = in.at("loopback_addresses"),
                   .clock_offset = Nanos(in.at("clock_offset_ns").get<std::int64_t>())};
    if (in.contains("open_files")) {
      spec.limits.open_files = in["open_files"].get<std::int64_t>();
    }
    if (in.contains("memlock")) {
      spec.limits.memlock = in["memlock"].get<std::string>();
    }
    for (const auto& [id, level] : in.at("levels").items()) {
      spec.levels[id] = static_cast<CheckLevel>(level.get<int>());
    }
    return spec;
  } catch (const json::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("probe specification: {}", problem.what())};
  }
}

}  // namespace sglexp
