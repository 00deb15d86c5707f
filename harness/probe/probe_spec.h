// SPDX-License-Identifier: Apache-2.0
// What the agent tells a node's probe to expect. Travels as a JSON file in the run directory.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

struct ProbeSpec {
  std::string node;
  std::string address;                 // how the others reach this node
  std::vector<std::string> job_nodes;  // in Slurm's order
  std::vector<int> allocated_gpus;     // physical indices, by scontrol
  std::vector<int> allocated_cpus;     // by scontrol
  std::string topology_file;           // recorded topology; empty: discover
  std::string cache_root;              // node-local, private to node and job
  std::vector<std::string> programs;   // argv[0] of every engine that will run
  std::string time_server;             // address and port of the agent's clock
  int time_server_port = 0;
  bool loopback_addresses = false;  // profile: nodes may share this host
  LimitDemands limits;
  Nanos clock_offset{0};                     // most that is allowed
  std::map<std::string, CheckLevel> levels;  // effective level of every check
};

[[nodiscard]] std::string probe_spec_to_json(const ProbeSpec& spec);
[[nodiscard]] Result<ProbeSpec> parse_probe_spec(std::string_view json);

}  // namespace sglexp
