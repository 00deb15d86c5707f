// SPDX-License-Identifier: Apache-2.0
// runs, show, clean: what was measured, and getting rid of old files.
#pragma once

#include <string>

#include "harness/cli/experiment_commands.h"
#include "harness/record/outcome.h"

namespace sglexp {

struct RunsOptions {
  DatabaseOptions database;
  bool active = false;
  std::string scenario;
  int limit = 50;
};
[[nodiscard]] ExitCode runs_command(const RunsOptions& options);

struct ShowOptions {
  OneRunOptions run;
  bool markdown = false;
};
[[nodiscard]] ExitCode show_command(const ShowOptions& options);

struct CleanOptions {
  DatabaseOptions database;
  std::string older_than;  // "30d"
  bool dry_run = false;
};
[[nodiscard]] ExitCode clean_command(const CleanOptions& options);

}  // namespace sglexp
