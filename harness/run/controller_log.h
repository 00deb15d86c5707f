// SPDX-License-Identifier: Apache-2.0
// The controller's own journal: what it asked Slurm for and what came of it. Whoever follows a run
// later starts from here, so that nothing is submitted twice and no finished job is run again.
//
//   submitting   job                      about to call sbatch: the outcome is unknown until the next line
//   submitted    job, id
//   job_ended    job, id, outcome, failure|null, word
//   run_finished outcome
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/record/journal.h"
#include "harness/record/outcome.h"
#include "harness/run/run_dir.h"
#include "harness/sys/clock.h"

namespace sglexp {

struct JobProgress {
  bool submitting = false;
  std::string id;                  // empty: not known to be submitted
  std::optional<Outcome> outcome;  // set once it has ended
  std::optional<Failure> failure;
};

class ControllerLog {
 public:
  // Reads what was done before and takes the lock: kUnavailable if another process follows this run.
  [[nodiscard]] static Result<std::unique_ptr<ControllerLog>> open(const RunDir& dir,
                                                                   const Clock& clock);
  ~ControllerLog();
  ControllerLog(const ControllerLog&) = delete;
  ControllerLog& operator=(const ControllerLog&) = delete;

  [[nodiscard]] JobProgress job(const std::string& name) const;
  [[nodiscard]] bool run_finished() const { return run_finished_; }

  [[nodiscard]] Status submitting(const std::string& job);
  [[nodiscard]] Status submitted(const std::string& job, const std::string& id);
  [[nodiscard]] Status job_ended(const std::string& job, const JobProgress& record,
                                 const std::string& word);
  [[nodiscard]] Status finish_run(Outcome outcome);

  // What the log of a run says, without the lock: for status and cancel.
  [[nodiscard]] static Result<std::map<std::string, JobProgress>> read(const RunDir& dir);

 private:
  ControllerLog(JournalWriter journal, int lock_fd, std::map<std::string, JobProgress> jobs,
                bool run_finished);
  JournalWriter journal_;
  int lock_fd_;
  std::map<std::string, JobProgress> jobs_;
  bool run_finished_;
};

}  // namespace sglexp
