// SPDX-License-Identifier: Apache-2.0
// Scheduler over Slurm's command line: sbatch, squeue, scontrol, sacct, scancel (20.11 and later).
//
// Jobs are submitted with sbatch's default --export=ALL out of the clean environment of
// slurm_command.h: so they get exactly that. --export=LIST or NONE would instead make Slurm run a
// login shell on the node to build an environment (--get-user-env), which can hang and hold the job.
//
// One cluster: the one that SLURM_CONF or the machine's default names. Job ids are digits.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/slurm/parse_squeue.h"
#include "harness/slurm/scheduler.h"
#include "harness/slurm/slurm_command.h"
#include "harness/sys/clock.h"
#include "harness/sys/process.h"

namespace sglexp {

// Not thread-safe. Holds references to `runner` and `clock`, which must outlive it.
class SlurmScheduler : public Scheduler {
 public:
  SlurmScheduler(ProcessRunner& runner, Clock& clock, SlurmOptions options);

  [[nodiscard]] Result<std::string> submit(const JobSpec& spec) override;
  [[nodiscard]] Result<std::vector<std::string>> find(std::string_view token) override;
  [[nodiscard]] Result<std::vector<JobState>> poll(std::span<const std::string> ids) override;
  [[nodiscard]] Status cancel(const std::string& id) override;
  [[nodiscard]] Result<std::vector<NodeAllocation>> allocation(const std::string& id) override;

 private:
  [[nodiscard]] Result<Completed> run(std::vector<std::string> argv);
  [[nodiscard]] Result<std::vector<QueueRow>> ask_queue(std::span<const std::string> ids);
  void ask_how_it_ended(JobState& state);
  void ask_history(std::span<JobState*> missing);

  ProcessRunner& runner_;
  Clock& clock_;
  SlurmOptions options_;
  std::map<std::string, TimePoint> asked_history_;  // job id -> last time
};

}  // namespace sglexp
