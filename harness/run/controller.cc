// SPDX-License-Identifier: Apache-2.0
#include "harness/run/controller.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/launch/launch.h"
#include "harness/run/conclude.h"
#include "harness/run/follow.h"
#include "harness/run/ingest.h"
#include "harness/run/run_info_builder.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

// Unique per job, not only per run: Slurm is asked for exactly this one.
std::string job_token(const RunFiles& run, const JobPlan& job) {
  return run.plan.jobs.size() == 1 ? run.token : run.token + "-" + job.name;
}

// The slot of a job that has one of its own; null for a shared job and a plan of checks only.
const SlotPlan* own_slot(const RunFiles& run, const JobPlan& job) {
  return job.slots.size() == 1 ? &run.plan.slots[static_cast<std::size_t>(job.slots.front())]
                               : nullptr;
}

// Nodes on which an earlier job of the same block ran: the block is the pair, so it stays on them.
std::vector<std::string> block_nodes(const RunFiles& run, const JobPlan& job) {
  const SlotPlan* slot = own_slot(run, job);
  for (const JobPlan& earlier : run.plan.jobs) {
    const SlotPlan* other = own_slot(run, earlier);
    if (earlier.name == job.name || slot == nullptr || other == nullptr ||
        other->block != slot->block) {
      continue;
    }
    JournalReader reader(run.dir.job_journal(earlier.name));
    const auto entries = reader.read_new();
    for (const JournalEntry& entry : entries.ok() ? *entries : std::vector<JournalEntry>{}) {
      if (entry.type != "job_started") {
        continue;
      }
      std::vector<std::string> nodes;
      for (const json& node : json::parse(entry.json)["nodes"]) {
        nodes.push_back(node["node"]);
      }
      return nodes;
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

// Exactly once: where the outcome of an earlier try is unknown, Slurm is asked by token first.
Result<std::string> submit_once(const RunFiles& run, const JobPlan& job, ControllerLog& log,
                                const ControllerTools& tools) {
  const std::string token = job_token(run, job);
  const auto look_up = [&]() -> Result<std::string> {
    SGLEXP_TRY(const std::vector<std::string> ids, tools.scheduler.find(token));
    return ids.empty() ? std::string() : ids.front();
  };
  std::string id;
  if (log.job(job.name).submitting) {
    SGLEXP_TRY(id, look_up());
  }
  if (id.empty()) {
    SGLEXP_TRY(const JobSpec spec, prepare_job(run, job, tools.paths));
    SGLEXP_CHECK(log.submitting(job.name));
    const auto submitted = tools.scheduler.submit(spec);
    if (submitted.ok()) {
      id = *submitted;
    } else if (submitted.error().code == ErrorCode::kTimedOut) {
      SGLEXP_TRY(id, look_up());
    }
    if (id.empty()) {
      return submitted.error();
    }
  }
  SGLEXP_CHECK(log.submitted(job.name, id));
  return id;
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

// What people see while it runs. Entries that mean nothing to them are silent.
std::string progress_line(const RunFiles& run, const JournalEntry& entry) {
  const json line = json::parse(entry.json, nullptr, false);
  if (entry.type == "job_started") {
    return fmt::format("job {} started on {} nodes", line.value("job_id", "?"),
                       line["nodes"].size());
  }
  if (entry.type == "checks") {
    return "environment checked on every node";
  }
  if (entry.type == "slot_started") {
    return fmt::format("slot {}/{}: block {} {}", line.value("slot", 0) + 1, run.plan.slots.size(),
                       line.value("block", 0) + 1, line.value("arm", ""));
  }
  if (entry.type == "postflight" && !line["leftovers"].empty()) {
    return fmt::format("left behind and reported: {} findings", line["leftovers"].size());
  }
  return "";
}

class RunFollower {
 public:
  RunFollower(const RunFiles& run, ControllerLog& log, const ControllerTools& tools)
      : run_(run), log_(log), tools_(tools) {}

  // Every job of the plan that has not ended yet, in order. The first that fails is the last.
  Status run_jobs() {
    for (const JobPlan& job : run_.plan.jobs) {
      JobProgress record = log_.job(job.name);
      if (!record.outcome) {
        SGLEXP_TRY(record, run_one(job, record));
      }
      if (record.outcome != Outcome::kPassed) {
        failure_ = record.failure;
        outcome_ = *record.outcome;
        return Ok{};
      }
    }
    return Ok{};
  }

  [[nodiscard]] Outcome outcome() const { return outcome_; }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  Result<JobProgress> run_one(const JobPlan& job, JobProgress record) {
    if (record.id.empty()) {
      auto id = submit_once(run_, job, log_, tools_);
      if (!id.ok()) {
        record.failure = submit_failure(id.error());
        record.outcome = record.failure->outcome;
        SGLEXP_CHECK(log_.job_ended(job.name, record, "not submitted"));
        return record;
      }
      record.id = *id;
      tools_.progress(fmt::format("job {} submitted to {}", record.id, run_.profile.name));
    }
    SGLEXP_CHECK(store_job(record.id, job.name, "SUBMITTED"));
    const FollowTools follow_tools{.scheduler = tools_.scheduler,
                                   .clock = tools_.clock,
                                   .signals = tools_.signals,
                                   .progress = tools_.progress};
    const OnEntry on_entry = [&](const JournalEntry& entry) {
      if (const std::string line = progress_line(run_, entry); !line.empty()) {
        tools_.progress(line);
      }
      return ingest_entry(run_, record.id, entry, tools_.store);
    };
    SGLEXP_TRY(const JobEnd end, follow_job(run_, job, record.id, follow_tools, on_entry));
    interrupted_ = interrupted_ || end.interrupted;
    record.outcome = end.outcome;
    record.failure = end.failure;
    SGLEXP_CHECK(store_job(record.id, job.name, end.state.word));
    SGLEXP_CHECK(log_.job_ended(job.name, record, end.state.word));
    return record;
  }

  Status store_job(const std::string& id, const std::string& name, const std::string& state) {
    const std::vector<RunJob> jobs = {{.slurm_job_id = id, .name = name, .state = state}};
    return tools_.store.set_run_jobs(run_.uuid, jobs);
  }

  const RunFiles& run_;
  ControllerLog& log_;
  const ControllerTools& tools_;
  Outcome outcome_ = Outcome::kPassed;
  std::optional<Failure> failure_;
  bool interrupted_ = false;
};

}  // namespace

Status register_run(const RunFiles& run, Store& store) {
  return store.begin_run(make_run_info(run));
}

Result<std::string> submit_first_job(const RunFiles& run, const ControllerTools& tools) {
  SGLEXP_TRY(const std::unique_ptr<ControllerLog> log, ControllerLog::open(run.dir, tools.clock));
  return submit_once(run, run.plan.jobs.front(), *log, tools);
}

Result<RunConclusion> follow_run(const RunFiles& run, const ExitPolicy& policy,
                                 const ControllerTools& tools) {
  SGLEXP_TRY(const std::unique_ptr<ControllerLog> log, ControllerLog::open(run.dir, tools.clock));
  SGLEXP_CHECK(register_run(run, tools.store));
  RunFollower follower(run, *log, tools);
  SGLEXP_CHECK(follower.run_jobs());
  SGLEXP_TRY(const Outcome outcome,
             conclude_run(run, {.outcome = follower.outcome(), .failure = follower.failure()},
                          policy, utc_text(tools.clock.wall_now()), tools.store));
  SGLEXP_CHECK(log->finish_run(outcome));
  const ExitCode exit =
      follower.interrupted() ? ExitCode::kInterrupted : exit_code(outcome, policy);
  return RunConclusion{.outcome = outcome, .exit = exit, .interrupted = follower.interrupted()};
}

}  // namespace sglexp
