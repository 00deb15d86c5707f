// SPDX-License-Identifier: Apache-2.0
// What a node says about itself, before anything is judged. Gathering may touch the system; judging
// (node_checks.h) is pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/probe/cache_dirs.h"
#include "harness/probe/clock_exchange.h"
#include "harness/probe/probe_spec.h"
#include "harness/topology/topology.h"

namespace sglexp {

struct ResourceLimit {
  std::optional<std::uint64_t> soft;  // none: unlimited
  std::optional<std::uint64_t> hard;
};

struct NodeFacts {
  std::map<std::string, std::string> environment;  // inherited; only the variables that checks read
  Result<Topology> topology = Error{ErrorCode::kInternal, "not gathered"};
  std::vector<int> affinity;  // this process's CPU mask
  ResourceLimit open_files;
  ResourceLimit memlock;
  Result<std::vector<std::string>> master_addresses = Error{ErrorCode::kInternal, "not gathered"};
  CacheRootFacts cache_root;
  std::map<std::string, std::string> programs;  // name -> path; "" where it cannot be run
  Result<ClockOffset> clock = Error{ErrorCode::kInternal, "not gathered"};
  std::map<std::string, std::string> host;  // kernel, cpu_model, driver ... for comparison
};

[[nodiscard]] NodeFacts gather_node_facts(const ProbeSpec& spec);

}  // namespace sglexp
