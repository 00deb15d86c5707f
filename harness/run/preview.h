// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/run/run_files.h"
#include "harness/sys/install_paths.h"

namespace sglexp {

// `sglexp render`: what a run would do, without Slurm and without a node. Order of slots, the batch
// script and how it is submitted, srun lines, the placement of every arm on idle nodes of the
// recorded topology, deadlines, checks, and what it costs. Reads the recorded topology only.
[[nodiscard]] Result<std::string> render_preview(const RunFiles& run, const InstallPaths& paths);

}  // namespace sglexp
