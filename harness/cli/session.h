// SPDX-License-Identifier: Apache-2.0
// What a command needs to work with stored runs: the database, the run, the way to its cluster.
#pragma once

#include <memory>
#include <string>

#include "harness/cli/console.h"
#include "harness/cli/experiment_commands.h"
#include "harness/run/controller.h"
#include "harness/run/run_files.h"
#include "harness/store/store.h"
#include "harness/sys/install_paths.h"
#include "harness/sys/process.h"

namespace sglexp {

[[nodiscard]] Result<Store> open_store(const DatabaseOptions& options, OpenMode mode);
// The stored run that the words name.
[[nodiscard]] Result<RunInfo> find_stored_run(const OneRunOptions& options, const Store& store);
[[nodiscard]] ExitPolicy exit_policy(const std::string& fail_on);

// The scheduler of a run's cluster, over real processes and the real clock.
class ClusterSession {
 public:
  // `runs_root`: where run directories of this cluster lie.
  [[nodiscard]] static Result<std::unique_ptr<ClusterSession>> open(const ClusterProfile& profile,
                                                                    const std::string& runs_root);
  // For a run that exists.
  [[nodiscard]] static Result<std::unique_ptr<ClusterSession>> open(const RunFiles& run);
  [[nodiscard]] ControllerTools tools(Store& store) const;
  [[nodiscard]] Scheduler& scheduler() const { return *scheduler_; }

 private:
  ClusterSession() = default;
  InstallPaths paths_;
  mutable SystemClock clock_;
  SystemProcessRunner runner_;
  StopSignals signals_;
  std::unique_ptr<Scheduler> scheduler_;
};

// Follows a run to its end and shows the result; the exit code is the run's.
[[nodiscard]] Result<ExitCode> follow_and_show(const RunFiles& run, const ExitPolicy& policy,
                                               bool json, const ClusterSession& session,
                                               Store& store);

}  // namespace sglexp
