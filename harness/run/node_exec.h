// SPDX-License-Identifier: Apache-2.0
// Runs on the node, inside a job step, as the parent of one engine process: only there is the true
// set of GPUs known. It makes the environment right, proves it, starts the engine in a process
// group of its own, stays its parent, and leaves none of its descendants behind.
#pragma once

#include <string>
#include <vector>

#include "harness/run/exec_spec.h"
#include "harness/run/stop_request.h"
#include "harness/sys/clock.h"
#include "harness/sys/install_paths.h"
#include "harness/sys/process.h"

namespace sglexp {

struct NodeExecTools {
  ProcessRunner& runner;
  Clock& clock;
  StopRequest& stop;
  const InstallPaths& paths;
};

// Returns the exit code for the step: the engine's own, 128 + signal, or kExecRefused.
[[nodiscard]] Result<int> node_exec(const ExecSpec& spec, const NodeExecTools& tools);

// `sglexp node-exec --guard PARENT -- argv...`: dies with its parent, whatever kills that, then
// becomes the program. Returns only on failure.
[[nodiscard]] Error become_guarded(long parent, const std::vector<std::string>& argv);

}  // namespace sglexp
