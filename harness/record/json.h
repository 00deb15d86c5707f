// SPDX-License-Identifier: Apache-2.0
// JSON forms of the values that travel between the nodes, the agent and the controller.
// Readers are strict about what they need and ignore members that they do not know.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/record/check.h"
#include "harness/record/outcome.h"
#include "harness/record/trial.h"

namespace sglexp {

[[nodiscard]] std::string failure_to_json(const Failure& failure);
[[nodiscard]] Result<Failure> parse_failure(std::string_view json);

[[nodiscard]] std::string node_report_to_json(const NodeReport& report);
[[nodiscard]] Result<NodeReport> parse_node_report(std::string_view json);

[[nodiscard]] std::string checks_to_json(const std::vector<CheckResult>& checks);
[[nodiscard]] Result<std::vector<CheckResult>> parse_checks(std::string_view json);

[[nodiscard]] std::string trial_to_json(const TrialRecord& trial);
[[nodiscard]] Result<TrialRecord> parse_trial(std::string_view json);

}  // namespace sglexp
