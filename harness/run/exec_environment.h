// SPDX-License-Identifier: Apache-2.0
// The environment that an engine gets on a node, and the checks that prove it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/placement/visibility.h"
#include "harness/run/exec_spec.h"
#include "harness/topology/topology.h"

namespace sglexp {

struct ExecEnvironment {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
  std::vector<CheckResult> checks;  // worker_visibility, ports_free, worker_binding
};

// The masks in an environment.
[[nodiscard]] VisibilityEnv visibility_env(const std::map<std::string, std::string>& environment);

// Computes the visibility layer to set on top of `inherited` and judges the result against the plan.
// Pure.
[[nodiscard]] ExecEnvironment plan_exec_environment(
    const ExecSpec& spec, const Result<Topology>& topology,
    const std::map<std::string, std::string>& inherited);

// The planned ports, tested on this node now; those that the kernel hands out by itself are refused.
[[nodiscard]] CheckResult check_ports(const ExecSpec& spec);

}  // namespace sglexp
