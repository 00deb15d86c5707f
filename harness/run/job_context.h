// SPDX-License-Identifier: Apache-2.0
// What every phase of the agent needs: the run, the job it lives in, and its tools. Built once in
// agent.cc; `nodes` is filled by the probe phase and only read afterwards.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/http/http_client.h"
#include "harness/launch/launch.h"
#include "harness/placement/placement.h"
#include "harness/record/journal.h"
#include "harness/record/outcome.h"
#include "harness/run/run_files.h"
#include "harness/slurm/scheduler.h"
#include "harness/sys/install_paths.h"
#include "harness/sys/process.h"
#include "harness/sys/signals.h"

namespace sglexp {

struct AgentTools {
  ProcessRunner& runner;
  Clock& clock;
  HttpClient& http;
  Scheduler& scheduler;
  const StopSignals& signals;
  const InstallPaths& paths;
};

struct JobContext {
  const RunFiles& run;
  const JobPlan& job;
  std::string job_id;
  JournalWriter& journal;
  AgentTools tools;
  std::vector<NodeAllocation> allocation;              // batch host first; addresses are literals
  std::vector<PlacementNode> nodes;                    // the same order, after the probe
  std::map<std::string, std::set<int>> planned_ports;  // by node, over all slots: for postflight

  [[nodiscard]] bool stopping() const { return tools.signals.total() > 0; }
  [[nodiscard]] std::string job_dir() const { return run.dir.job_dir(job.name); }
  [[nodiscard]] std::string cache_root(const std::string& node) const;
  // Tells the journal what happens now; slot -1 outside slots.
  [[nodiscard]] Status enter_phase(std::string_view phase, int slot);
};

// One task on one node of the job, with all of the job's CPUs there.
struct JobStep {
  std::string node;
  bool with_gpus = false;  // all GPUs of the job there, else none
  bool held = false;       // runs until Child::close_stdin() asks it to end (stop_request.h)
  std::string log;         // of the task, and srun's own messages
  std::vector<std::string> argv;
};
[[nodiscard]] Result<std::unique_ptr<Child>> start_step(const JobContext& context, JobStep step);

// Waits for all of these steps, at most for `limit`, then ends the rest. Returns how each ended, in
// their order; empty: it had to be ended.
[[nodiscard]] std::vector<std::optional<ExitStatus>> await_steps(
    const JobContext& context, const std::vector<std::unique_ptr<Child>>& steps, Nanos limit);

[[nodiscard]] Failure job_cancelled();
// For an Error where a Failure is due: could not do, in this phase.
[[nodiscard]] Failure failure_from(const Error& error, Outcome outcome, const std::string& phase);

}  // namespace sglexp
