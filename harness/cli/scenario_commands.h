// SPDX-License-Identifier: Apache-2.0
// scenarios, validate, render: no Slurm, no database, nothing is changed.
#pragma once

#include <string>
#include <vector>

#include "harness/record/outcome.h"

namespace sglexp {

struct ScenarioOptions {
  std::string scenario;
  std::string cluster;
  std::vector<std::string> set;
  std::vector<std::string> only;
  bool json = false;
};
[[nodiscard]] ExitCode scenarios_command(const ScenarioOptions& options);
[[nodiscard]] ExitCode validate_command(const ScenarioOptions& options);
[[nodiscard]] ExitCode render_command(const ScenarioOptions& options);

}  // namespace sglexp
