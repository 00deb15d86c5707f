// SPDX-License-Identifier: Apache-2.0
// Verdicts that need every node's report. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/check.h"
#include "harness/record/outcome.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

// `job_nodes` in Slurm's order; a node without a report fails the checks that need it.
[[nodiscard]] std::vector<CheckResult> judge_across_nodes(const Scenario& scenario,
                                                          const std::vector<std::string>& job_nodes,
                                                          const std::vector<NodeReport>& reports);

// The check that ends the run, told as a failure: the first failed required one, node order.
[[nodiscard]] std::optional<Failure> environment_failure(const std::vector<CheckResult>& checks);

}  // namespace sglexp
