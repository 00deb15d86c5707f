// SPDX-License-Identifier: Apache-2.0
// The experiment as seen from where it was asked for: submits the jobs of a plan one after another,
// follows each, keeps the store up to date, and in the end compares, reports and concludes.
// Everything it needs to go on after a crash is on disk, so `attach` is the same code.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/record/outcome.h"
#include "harness/report/run_report.h"
#include "harness/run/controller_log.h"
#include "harness/run/run_files.h"
#include "harness/slurm/scheduler.h"
#include "harness/store/store.h"
#include "harness/sys/clock.h"
#include "harness/sys/install_paths.h"
#include "harness/sys/signals.h"

namespace sglexp {

struct ControllerTools {
  Scheduler& scheduler;
  Clock& clock;
  Store& store;
  const StopSignals& signals;
  const InstallPaths& paths;
  std::function<void(const std::string&)> progress;  // one line for people
};

struct RunConclusion {
  Outcome outcome = Outcome::kInternal;
  ExitCode exit = ExitCode::kInfrastructure;
  bool interrupted = false;
};

// Writes the run and its arms into the store: it exists from now on, whatever happens.
[[nodiscard]] Status register_run(const RunFiles& run, Store& store);

// Submits the plan's first job; its id. For --detach. A job that Slurm refuses ends the run.
[[nodiscard]] Result<std::string> submit_first_job(const RunFiles& run,
                                                   const ControllerTools& tools);

// Runs or goes on running the whole plan to its end. kUnavailable: another process follows it, or it
// is not known whether a job was submitted.
[[nodiscard]] Result<RunConclusion> follow_run(const RunFiles& run, const ExitPolicy& policy,
                                               const ControllerTools& tools);

// Ends what was submitted, submits nothing more, and concludes. kUnavailable: another process
// follows the run; it concludes once its job is cancelled (cancel_jobs in run_status.h).
[[nodiscard]] Result<RunConclusion> cancel_run(const RunFiles& run, const ControllerTools& tools);

}  // namespace sglexp
