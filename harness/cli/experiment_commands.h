// SPDX-License-Identifier: Apache-2.0
// run, attach, cancel, status, logs: what people do with an experiment.
#pragma once

#include <string>
#include <vector>

#include "harness/record/outcome.h"

namespace sglexp {

struct DatabaseOptions {
  std::string db;  // empty: the default
  bool json = false;
};

struct RunOptions {
  DatabaseOptions database;
  std::string scenario;
  std::string cluster;
  std::string runs;
  std::vector<std::string> set;
  std::vector<std::string> only;
  std::string account, qos, reservation, exclude, partition;
  std::string fail_on;
  bool detach = false;
};
[[nodiscard]] ExitCode run_command(const RunOptions& options);

struct OneRunOptions {
  DatabaseOptions database;
  std::string run = "latest";  // uuid, the beginning of one, or "latest"
  std::string fail_on;
  std::string node;  // logs: only this node's
  int lines = 40;    // logs: of each file; 0 = all
};
[[nodiscard]] ExitCode attach_command(const OneRunOptions& options);
[[nodiscard]] ExitCode cancel_command(const OneRunOptions& options);
[[nodiscard]] ExitCode status_command(const OneRunOptions& options);
[[nodiscard]] ExitCode logs_command(const OneRunOptions& options);

}  // namespace sglexp
