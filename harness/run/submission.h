// SPDX-License-Identifier: Apache-2.0
// How a job of the plan gets into Slurm: exactly once, whatever dies or does not answer.
#pragma once

#include <optional>
#include <string>

#include "harness/record/outcome.h"
#include "harness/run/controller_log.h"
#include "harness/run/run_files.h"
#include "harness/slurm/scheduler.h"
#include "harness/sys/clock.h"
#include "harness/sys/install_paths.h"

namespace sglexp {

struct SubmitTools {
  Scheduler& scheduler;
  Clock& clock;
  const InstallPaths& paths;
};

struct Submission {
  std::string id;                  // empty: there is no such job
  std::optional<Failure> failure;  // then, and only then
};

// Where the outcome of an earlier try is unknown, Slurm is asked by token first. An Error means that
// the job may exist: ask again before any second try.
[[nodiscard]] Result<Submission> submit_once(const RunFiles& run, const JobPlan& job,
                                             ControllerLog& log, const SubmitTools& tools);

// The job that carries the token of this one, empty if there is none. An Error: it may exist.
[[nodiscard]] Result<std::string> find_submitted_job(const RunFiles& run, const JobPlan& job,
                                                     Scheduler& scheduler);

}  // namespace sglexp
