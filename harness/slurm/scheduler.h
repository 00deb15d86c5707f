// SPDX-License-Identifier: Apache-2.0
// The seam to the batch system: how jobs are submitted, followed and cancelled.
// Implemented over Slurm's command line (SlurmScheduler); mock Slurm is the same implementation with
// other executables in front of PATH. Tests use fakes/fake_scheduler.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace sglexp {

struct JobSpec {
  std::string name;               // carries the run's token
  std::string comment;            // the token again: either is enough to find the job
  std::string script_path;        // absolute; written by launch/
  std::vector<std::string> args;  // sbatch options, each one argv word
};

// Base states, with the flags that mask one in squeue's single word (slurm-rocm.md 4.3).
enum class JobPhase {
  kPending,     // PENDING, CONFIGURING, REQUEUED, REQUEUE_HOLD, SPECIAL_EXIT ...
  kRunning,     // RUNNING, SIGNALING, RESIZING, STOPPED, SUSPENDED
  kCompleting,  // COMPLETING, STAGE_OUT: hides how it ended; keep asking
  kEnded,       // terminal
  kUnknown,     // a word this program does not know, or no answer yet: never taken as ended
};

struct JobState {
  std::string id;
  JobPhase phase = JobPhase::kUnknown;
  std::string word;    // Slurm's own word: "RUNNING", "CANCELLED", "OUT_OF_MEMORY" ...
  std::string reason;  // Slurm's reason, as it says it
  std::vector<std::string> nodes;
  int exit_code = -1;  // -1 unknown
  int exit_signal = 0;
  int restarts = 0;    // known once the job ended
  std::string source;  // "squeue", "scontrol", "sacct": who said so
};

// What one node of a job was given. GPU indices are Slurm's global ones; they are known only while
// the job runs (scontrol forgets them at its end).
struct NodeAllocation {
  std::string node;
  std::string address;    // NodeAddr
  std::vector<int> cpus;  // Slurm's CPU_IDs, sorted
  std::vector<int> gpus;  // IDX of the gpu gres, sorted
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // Job id. kTimedOut: the outcome is unknown; call find() before any second try.
  [[nodiscard]] virtual Result<std::string> submit(const JobSpec& spec) = 0;
  // Ids of this user's jobs whose name or comment carries the token, ended ones as far as the
  // controller remembers them.
  [[nodiscard]] virtual Result<std::vector<std::string>> find(std::string_view token) = 0;
  // One query for all of them. A job that the answer does not mention is kUnknown, never ended,
  // until history says so. kUnavailable: ask again later.
  [[nodiscard]] virtual Result<std::vector<JobState>> poll(std::span<const std::string> ids) = 0;
  // Asks Slurm to end the job; rc 0 proves nothing, so poll() until ended.
  [[nodiscard]] virtual Status cancel(const std::string& id) = 0;
  [[nodiscard]] virtual Result<std::vector<NodeAllocation>> allocation(const std::string& id) = 0;
};

}  // namespace sglexp
