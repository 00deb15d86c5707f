// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/record/outcome.h"

namespace sglexp {

struct AgentOptions {
  std::string run_dir;
  std::string job;
};
[[nodiscard]] ExitCode agent_command(const AgentOptions& options);

// Commands that read one JSON file and write another.
struct SpecOptions {
  std::string spec;
  std::string out;
  bool until_eof = false;  // the end of standard input asks to stop
};
[[nodiscard]] ExitCode probe_command(const SpecOptions& options);
[[nodiscard]] ExitCode load_exec_command(const SpecOptions& options);
[[nodiscard]] ExitCode postflight_command(const SpecOptions& options);

struct NodeExecOptions {
  std::string spec;
  bool until_eof = false;
  long guard_parent = 0;  // with argv: become that program, and die with this parent
  std::vector<std::string> argv;
};
// The exit code is the engine's own, so that Slurm records it.
[[nodiscard]] ExitCode node_exec_command(const NodeExecOptions& options);

}  // namespace sglexp
