// SPDX-License-Identifier: Apache-2.0
#include "harness/run/controller.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/run/conclude.h"
#include "harness/run/follow.h"
#include "harness/run/ingest.h"
#include "harness/run/journal_members.h"
#include "harness/run/run_info_builder.h"
#include "harness/run/submission.h"

namespace sglexp {

namespace {

// What people see while it runs. Entries that mean nothing to them are silent.
std::string progress_line(const RunFiles& run, const JournalEntry& entry) {
  if (entry.type == "job_started") {
    return fmt::format("job {} started on {} nodes", printable(text_member(entry, "job_id"), 40),
                       count_member(entry, "nodes"));
  }
  if (entry.type == "checks") {
    return "environment checked on every node";
  }
  if (entry.type == "slot_started") {
    return fmt::format("slot {}/{}: block {} {}", number_member(entry, "slot").value_or(0) + 1,
                       run.plan.slots.size(), number_member(entry, "block").value_or(0) + 1,
                       printable(text_member(entry, "arm"), 80));
  }
  if (entry.type == "postflight" && count_member(entry, "leftovers") > 0) {
    return fmt::format("left behind and reported: {} findings", count_member(entry, "leftovers"));
  }
  return "";
}

SubmitTools submit_tools(const ControllerTools& tools) {
  return {.scheduler = tools.scheduler, .clock = tools.clock, .paths = tools.paths};
}

enum class Intent { kRunAll, kCancel };

class RunFollower {
 public:
  RunFollower(const RunFiles& run, ControllerLog& log, const ControllerTools& tools, Intent intent)
      : run_(run), log_(log), tools_(tools), intent_(intent) {}

  // Every job of the plan that has not ended yet, in order. The first that fails is the last.
  Status run_jobs() {
    for (const JobPlan& job : run_.plan.jobs) {
      JobProgress progress = log_.job(job.name);
      if (!progress.outcome) {
        SGLEXP_TRY(progress, run_one(job, progress));
      }
      if (progress.outcome != Outcome::kPassed) {
        end_ = {.outcome = *progress.outcome, .failure = progress.failure};
        return Ok{};
      }
    }
    return Ok{};
  }

  [[nodiscard]] const JobsEnd& end() const { return end_; }
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  Result<JobProgress> run_one(const JobPlan& job, JobProgress progress) {
    if (progress.id.empty()) {
      SGLEXP_TRY(const Submission submission,
                 intent_ == Intent::kRunAll ? submit_once(run_, job, log_, submit_tools(tools_))
                                            : find_submitted(job, progress));
      progress.id = submission.id;
      if (submission.failure) {
        return ended(job, std::move(progress), submission.failure->outcome, submission.failure,
                     "not submitted");
      }
      tools_.progress(fmt::format("job {} submitted to {}", progress.id, run_.profile.name));
    }
    SGLEXP_CHECK(store_job(progress.id, job.name, "SUBMITTED"));
    if (intent_ == Intent::kCancel) {
      SGLEXP_CHECK(tools_.scheduler.cancel(progress.id));
    }
    SGLEXP_TRY(JobEnd end, follow(job, progress.id));
    if (intent_ == Intent::kCancel && end.outcome == Outcome::kCancelled && end.failure) {
      end.failure->what = "cancelled by sglexp cancel";
    }
    SGLEXP_CHECK(store_job(progress.id, job.name, end.state.word));
    return ended(job, std::move(progress), end.outcome, end.failure, end.state.word);
  }

  // The job that a controller submitted before it died; a run that is cancelled submits no other.
  Result<Submission> find_submitted(const JobPlan& job, const JobProgress& progress) {
    Submission out;
    if (progress.submitting) {
      SGLEXP_TRY(out.id, find_submitted_job(run_, job, tools_.scheduler));
    }
    if (out.id.empty()) {
      out.failure = Failure{.outcome = Outcome::kCancelled,
                            .what = "cancelled before job " + job.name + " was submitted",
                            .phase = "queue",
                            .cause = "sglexp cancel"};
    } else {
      SGLEXP_CHECK(log_.submitted(job.name, out.id));
    }
    return out;
  }

  Result<JobEnd> follow(const JobPlan& job, const std::string& id) {
    const FollowTools follow_tools{.scheduler = tools_.scheduler,
                                   .clock = tools_.clock,
                                   .signals = tools_.signals,
                                   .progress = tools_.progress};
    const OnEntry on_entry = [&](const JournalEntry& entry) {
      if (const std::string line = progress_line(run_, entry); !line.empty()) {
        tools_.progress(line);
      }
      return ingest_entry(run_, id, entry, tools_.store);
    };
    SGLEXP_TRY(JobEnd end, follow_job(run_, job, id, follow_tools, on_entry));
    interrupted_ = interrupted_ || end.interrupted;
    return end;
  }

  Result<JobProgress> ended(const JobPlan& job, JobProgress progress, Outcome outcome,
                            const std::optional<Failure>& failure, const std::string& word) {
    progress.outcome = outcome;
    progress.failure = failure;
    SGLEXP_CHECK(log_.job_ended(job.name, progress, word));
    return progress;
  }

  Status store_job(const std::string& id, const std::string& name, const std::string& state) {
    const std::vector<RunJob> jobs = {{.slurm_job_id = id, .name = name, .state = state}};
    return tools_.store.set_run_jobs(run_.uuid, jobs);
  }

  const RunFiles& run_;
  ControllerLog& log_;
  const ControllerTools& tools_;
  Intent intent_;
  JobsEnd end_;
  bool interrupted_ = false;
};

// Concludes in the store first: the log's last line says that nothing is left to do.
Result<Outcome> conclude(const RunFiles& run, const JobsEnd& jobs, const ExitPolicy& policy,
                         ControllerLog& log, const ControllerTools& tools) {
  SGLEXP_TRY(const Outcome outcome,
             conclude_run(run, jobs, policy, utc_text(tools.clock.wall_now()), tools.store));
  SGLEXP_CHECK(log.finish_run(outcome));
  return outcome;
}

Result<RunConclusion> run_to_its_end(const RunFiles& run, const ExitPolicy& policy,
                                     const ControllerTools& tools, Intent intent) {
  SGLEXP_TRY(const std::unique_ptr<ControllerLog> log, ControllerLog::open(run.dir, tools.clock));
  SGLEXP_CHECK(register_run(run, tools.store));
  RunFollower follower(run, *log, tools, intent);
  SGLEXP_CHECK(follower.run_jobs());
  JobsEnd end = follower.end();
  end.interrupted = follower.interrupted();
  SGLEXP_TRY(const Outcome outcome, conclude(run, end, policy, *log, tools));
  const ExitCode exit =
      follower.interrupted() ? ExitCode::kInterrupted : exit_code(outcome, policy);
  return RunConclusion{.outcome = outcome, .exit = exit, .interrupted = follower.interrupted()};
}

}  // namespace

Status register_run(const RunFiles& run, Store& store) {
  return store.begin_run(make_run_info(run));
}

Result<std::string> submit_first_job(const RunFiles& run, const ControllerTools& tools) {
  SGLEXP_TRY(const std::unique_ptr<ControllerLog> log, ControllerLog::open(run.dir, tools.clock));
  const JobPlan& job = run.plan.jobs.front();
  SGLEXP_TRY(const Submission submission, submit_once(run, job, *log, submit_tools(tools)));
  if (!submission.failure) {
    return submission.id;
  }
  // Nobody will follow this run: it ends here.
  const Failure& failure = *submission.failure;
  const JobsEnd end{.outcome = failure.outcome, .failure = failure};
  SGLEXP_CHECK(
      log->job_ended(job.name, {.outcome = failure.outcome, .failure = failure}, "not submitted"));
  SGLEXP_TRY(const Outcome outcome, conclude(run, end, {}, *log, tools));
  return Error{outcome == Outcome::kUsage ? ErrorCode::kInvalidInput : ErrorCode::kUnavailable,
               fmt::format("{}: {}; {}", failure.what, failure.cause, failure.remedy)};
}

Result<RunConclusion> follow_run(const RunFiles& run, const ExitPolicy& policy,
                                 const ControllerTools& tools) {
  return run_to_its_end(run, policy, tools, Intent::kRunAll);
}

Result<RunConclusion> cancel_run(const RunFiles& run, const ControllerTools& tools) {
  return run_to_its_end(run, {}, tools, Intent::kCancel);
}

}  // namespace sglexp
