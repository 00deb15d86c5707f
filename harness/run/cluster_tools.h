// SPDX-License-Identifier: Apache-2.0
// How the profile's scheduler is reached from here.
#pragma once

#include <memory>
#include <string>

#include "harness/run/run_files.h"
#include "harness/slurm/scheduler.h"
#include "harness/sys/clock.h"
#include "harness/sys/install_paths.h"
#include "harness/sys/process.h"

namespace sglexp {

// The same command-line scheduler for both kinds; the mock only has its own executables in front of
// PATH and its state in `runs_root`/.mock-<profile>, unless MOCK_SLURM_STATE
// (and MOCK_SLURM_CLUSTER for its description) name other places.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> make_scheduler(const ClusterProfile& profile,
                                                                const InstallPaths& paths,
                                                                const std::string& runs_root,
                                                                ProcessRunner& runner,
                                                                Clock& clock);

}  // namespace sglexp
