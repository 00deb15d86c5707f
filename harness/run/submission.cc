// SPDX-License-Identifier: Apache-2.0
#include "harness/run/submission.h"

#include <vector>

#include <fmt/format.h>

#include "harness/launch/launch.h"
#include "harness/run/journal_members.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

constexpr Nanos kLateSubmit = Seconds(60);  // a job may appear this long after sbatch gave up
constexpr Nanos kLookUpPeriod = Seconds(5);

// Unique per job, not only per run: Slurm is asked for exactly this one.
std::string job_token(const RunFiles& run, const JobPlan& job) {
  return run.plan.jobs.size() == 1 ? run.token : run.token + "-" + job.name;
}

// The slot of a job that has one of its own; null for a shared job and a plan of checks only.
const SlotPlan* own_slot(const RunFiles& run, const JobPlan& job) {
  return job.slots.size() == 1 ? &run.plan.slots[static_cast<std::size_t>(job.slots.front())]
                               : nullptr;
}

// The nodes that a job's agent found itself on; none if it never started.
std::vector<std::string> nodes_of_job(const RunFiles& run, const JobPlan& job) {
  JournalReader reader(run.dir.job_journal(job.name));
  const auto entries = reader.read_new();
  for (const JournalEntry& entry : entries.ok() ? *entries : std::vector<JournalEntry>{}) {
    if (entry.type == "job_started") {
      return texts_in(entry, "nodes", "node");
    }
  }
  return {};
}

// Nodes on which an earlier job of the same block ran: the block is the pair, so it stays on them.
std::vector<std::string> block_nodes(const RunFiles& run, const JobPlan& job) {
  const SlotPlan* slot = own_slot(run, job);
  for (const JobPlan& earlier : run.plan.jobs) {
    const SlotPlan* other = own_slot(run, earlier);
    if (slot == nullptr || earlier.name == job.name) {
      break;
    }
    if (other != nullptr && other->block == slot->block) {
      if (std::vector<std::string> nodes = nodes_of_job(run, earlier); !nodes.empty()) {
        return nodes;
      }
    }
  }
  return {};
}

Result<JobSpec> prepare_job(const RunFiles& run, const JobPlan& job, const InstallPaths& paths) {
  SGLEXP_CHECK(make_directories(run.dir.job_dir(job.name)));
  const SlotPlan* slot = own_slot(run, job);
  const ArmSpec* arm =
      slot != nullptr ? &run.scenario.arms[static_cast<std::size_t>(slot->arm)] : nullptr;
  const BatchJob batch{
      .run_dir = run.dir.root(),
      .job_name = job.name,
      .run_token = job_token(run, job),
      .request_arm = arm != nullptr && arm->placement.by == PlacementBy::kRequest ? arm : nullptr,
      .pin_nodes = block_nodes(run, job)};
  JobSpec spec = job_spec(run.scenario, run.profile, batch);
  SGLEXP_CHECK(write_file_atomic(spec.script_path,
                                 batch_script(run.scenario, run.profile, paths, batch), 0755));
  return spec;
}

Failure submit_failure(const Error& error) {
  const bool refused = error.code == ErrorCode::kInvalidInput;
  return {.outcome = refused ? Outcome::kUsage : Outcome::kInfrastructure,
          .what = refused ? "Slurm refused the job" : "the job could not be submitted",
          .phase = "queue",
          .cause = error.message,
          .remedy = refused
                        ? "correct what the scenario or the cluster profile asks for"
                        : "try again when the controller answers; nothing was left in the queue"};
}

// As find_submitted_job(), of a request that may still lie in the queue of a busy controller.
Result<std::string> look_up_patiently(const RunFiles& run, const JobPlan& job,
                                      const SubmitTools& tools) {
  const TimePoint deadline = tools.clock.now() + kLateSubmit;
  while (true) {
    SGLEXP_TRY(std::string id, find_submitted_job(run, job, tools.scheduler));
    if (!id.empty() || tools.clock.now() >= deadline) {
      return id;
    }
    tools.clock.sleep_for(kLookUpPeriod);
  }
}

}  // namespace

Result<std::string> find_submitted_job(const RunFiles& run, const JobPlan& job,
                                       Scheduler& scheduler) {
  const auto ids = scheduler.find(job_token(run, job));
  if (!ids.ok()) {
    return with_context(ids.error(),
                        fmt::format("whether job {} was submitted is not known; ask again with "
                                    "sglexp attach {}",
                                    job.name, run.uuid.substr(0, 8)));
  }
  return ids->empty() ? std::string() : ids->front();
}

Result<Submission> submit_once(const RunFiles& run, const JobPlan& job, ControllerLog& log,
                               const SubmitTools& tools) {
  std::string id;
  if (log.job(job.name).submitting) {
    SGLEXP_TRY(id, find_submitted_job(run, job, tools.scheduler));
  }
  if (id.empty()) {
    SGLEXP_TRY(const JobSpec spec, prepare_job(run, job, tools.paths));
    SGLEXP_CHECK(log.submitting(job.name));
    const auto answer = tools.scheduler.submit(spec);
    if (answer.ok()) {
      id = *answer;
    } else if (answer.error().code == ErrorCode::kTimedOut) {
      SGLEXP_TRY(id, look_up_patiently(run, job, tools));
    }
    if (id.empty()) {
      return Submission{.failure = submit_failure(answer.error())};
    }
  }
  SGLEXP_CHECK(log.submitted(job.name, id));
  return Submission{.id = id};
}

}  // namespace sglexp
