// SPDX-License-Identifier: Apache-2.0
// Where a run is, from its files alone: no Slurm is asked, so it can be called as often as one likes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/run_info.h"
#include "harness/run/run_files.h"
#include "harness/slurm/scheduler.h"

namespace sglexp {

struct JobStatusLine {
  std::string name;
  std::string id;     // empty: not submitted yet
  std::string state;  // "not submitted", "queued or running", or the outcome
  std::string phase;  // what its agent does, by its journal
  int slot = -1;
  int trials_done = 0;
  std::string last_utc;  // time of the journal's last line
};

struct RunStatus {
  RunInfo info;
  int trials_planned = 0;
  int trials_done = 0;
  int slots = 0;
  std::vector<JobStatusLine> jobs;
};

[[nodiscard]] Result<RunStatus> read_run_status(const RunFiles& run, const RunInfo& info);
[[nodiscard]] std::string run_status_text(const RunStatus& status);
[[nodiscard]] std::string run_status_json(const RunStatus& status);

// Asks Slurm to end every job of the run that was submitted and has not ended. How many.
[[nodiscard]] Result<int> cancel_jobs(const RunFiles& run, Scheduler& scheduler);

}  // namespace sglexp
