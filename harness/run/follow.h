// SPDX-License-Identifier: Apache-2.0
// Follows one submitted job to its end: the journal tells what happens inside, Slurm tells whether
// the job still exists. Neither alone is believed: a job has ended well only if its journal says so
// and Slurm no longer runs it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/record/journal.h"
#include "harness/record/outcome.h"
#include "harness/run/run_files.h"
#include "harness/slurm/scheduler.h"
#include "harness/sys/clock.h"
#include "harness/sys/signals.h"

namespace sglexp {

struct FollowTools {
  Scheduler& scheduler;
  Clock& clock;
  const StopSignals& signals;
  std::function<void(const std::string&)> progress;  // one line for people
};

struct JobEnd {
  JobState state;  // Slurm's last word
  Outcome outcome = Outcome::kInternal;
  std::optional<Failure> failure;
  bool interrupted = false;  // by the user's own Ctrl-C
};

// Called for every new journal entry, once, in order. An Error ends the following (not the job).
using OnEntry = std::function<Status(const JournalEntry&)>;

[[nodiscard]] Result<JobEnd> follow_job(const RunFiles& run, const JobPlan& job,
                                        const std::string& job_id, const FollowTools& tools,
                                        const OnEntry& on_entry);

}  // namespace sglexp
