// SPDX-License-Identifier: Apache-2.0
#include "harness/run/follow.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/record/json.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

constexpr Nanos kTailPeriod = Millis(100);       // of the journal: a local read
constexpr Nanos kSettle = Seconds(10);           // for a network file system to show the last lines
constexpr Nanos kEndAfterJournal = Seconds(90);  // job_finished written, Slurm still says running
constexpr Nanos kEndAfterCancel = Seconds(180);  // KillWait and epilog included

class Follower {
 public:
  Follower(const RunFiles& run, const JobPlan& job, const std::string& job_id,
           const FollowTools& tools, const OnEntry& on_entry)
      : run_(run),
        job_id_(job_id),
        tools_(tools),
        on_entry_(on_entry),
        reader_(run.dir.job_journal(job.name)),
        batch_log_(run.dir.batch_log(job.name)),
        started_(tools.clock.now()),
        jitter_(fnv1a(run.token)) {
    end_.state = {.id = job_id};
  }

  Result<JobEnd> follow() {
    while (true) {
      SGLEXP_CHECK(read_journal());
      react_to_signals();
      if (tools_.signals.total() > 1) {
        return forced();
      }
      poll_if_due();
      if (end_.state.phase == JobPhase::kEnded) {
        return settle();
      }
      enforce_deadlines();
      if (give_up_at_ && tools_.clock.now() >= *give_up_at_) {
        return gone_astray();
      }
      tools_.clock.sleep_for(kTailPeriod);
    }
  }

 private:
  Status read_journal() {
    SGLEXP_TRY(const std::vector<JournalEntry> entries, reader_.read_new());
    for (const JournalEntry& entry : entries) {
      SGLEXP_CHECK(on_entry_(entry));
      if (entry.type == "job_finished") {
        SGLEXP_CHECK(take_finish(entry));
      }
    }
    return Ok{};
  }

  Status take_finish(const JournalEntry& entry) {
    const json line = json::parse(entry.json, nullptr, false);
    const auto outcome =
        line.contains("outcome") ? parse_outcome(line["outcome"].get<std::string>()) : std::nullopt;
    if (!outcome) {
      return Error{ErrorCode::kInvalidInput, "journal: job_finished without a known outcome"};
    }
    finished_ = true;
    end_.outcome = *outcome;
    if (line.contains("failure") && !line["failure"].is_null()) {
      SGLEXP_TRY(end_.failure, parse_failure(line["failure"].dump()));
    }
    // The journal ends the wait first; one early question then confirms it.
    next_poll_ = tools_.clock.now() + std::min<Nanos>(Millis(300), run_.profile.poll_period);
    poll_step_ = Millis(500);
    expect_end_within(kEndAfterJournal);
    return Ok{};
  }

  void react_to_signals() {
    if (tools_.signals.total() > 0 && !end_.interrupted) {
      end_.interrupted = true;
      cancel("interrupted: cancelling job " + job_id_ + " (Ctrl-C again to leave at once)");
    }
  }

  void cancel(const std::string& why) {
    tools_.progress(why);
    cancelled_ = true;
    const Status asked = tools_.scheduler.cancel(job_id_);
    if (!asked.ok()) {
      tools_.progress("scancel: " + asked.error().message);
    }
    poll_step_ = Millis(500);
    next_poll_ = tools_.clock.now() + Millis(200);
    expect_end_within(kEndAfterCancel);
  }

  void expect_end_within(Nanos limit) {
    const TimePoint at = tools_.clock.now() + limit;
    give_up_at_ = give_up_at_ ? std::min(*give_up_at_, at) : at;
  }

  void poll_if_due() {
    if (tools_.clock.now() < next_poll_) {
      return;
    }
    const std::vector<std::string> ids = {job_id_};
    const auto states = tools_.scheduler.poll(ids);
    if (states.ok() && states->size() == 1) {
      take_state(states->front());
      period_ = poll_step_.value_or(run_.profile.poll_period);
      poll_step_ =
          poll_step_
              ? std::optional<Nanos>(std::min<Nanos>(*poll_step_ * 2, run_.profile.poll_period))
              : std::nullopt;
    } else {
      // Controller away: the job goes on without it. Ask less and less often, never conclude.
      period_ =
          std::min<Nanos>(std::max<Nanos>(period_ * 2, run_.profile.poll_period), Seconds(300));
    }
    const auto spread =
        static_cast<std::int64_t>(static_cast<double>(period_.count()) * 0.2 * jitter_.uniform());
    next_poll_ = tools_.clock.now() + period_ + Nanos(spread);
  }

  void take_state(const JobState& state) {
    if (state.word != end_.state.word || state.reason != end_.state.reason) {
      tools_.progress(fmt::format("job {}: {}{}", job_id_,
                                  state.word.empty() ? "unknown" : state.word,
                                  state.phase == JobPhase::kPending && !state.reason.empty()
                                      ? " (" + printable(state.reason) + ")"
                                      : ""));
    }
    if (state.phase == JobPhase::kPending) {
      pending_reason_ = printable(state.reason);
    }
    if (state.phase != JobPhase::kPending && state.phase != JobPhase::kUnknown) {
      ran_ = true;
    }
    end_.state = state;
  }

  void enforce_deadlines() {
    const Nanos waited = tools_.clock.now() - started_;
    if (cancelled_ || finished_) {
      return;
    }
    if (!ran_ && end_.state.phase == JobPhase::kPending && waited > run_.scenario.deadlines.queue) {
      queue_timeout_ = true;
      cancel("pending for longer than the queue deadline: cancelling");
    } else if (waited >
               run_.scenario.deadlines.queue + run_.scenario.allocation.time_limit + Seconds(600)) {
      cancel("no end long after the time limit: cancelling");
    }
  }

  JobEnd forced() {
    end_.interrupted = true;
    const Status asked = tools_.scheduler.cancel(job_id_);
    end_.outcome = Outcome::kCancelled;
    end_.failure = Failure{.outcome = Outcome::kCancelled,
                           .what = "left at once by a second Ctrl-C",
                           .cause = asked.ok() ? "scancel was sent; the job's end was not awaited"
                                               : asked.error().message,
                           .remedy = "sglexp status; squeue -j " + job_id_};
    return end_;
  }

  // Slurm says ended. The journal's last lines may still be on their way.
  Result<JobEnd> settle() {
    const TimePoint until =
        tools_.clock.now() +
        (finished_ || cancelled_ || run_.profile.scheduler == SchedulerKind::kMock
             ? Nanos(Millis(500))
             : kSettle);
    while (!finished_ && tools_.clock.now() < until) {
      tools_.clock.sleep_for(kTailPeriod);
      SGLEXP_CHECK(read_journal());
    }
    if (queue_timeout_) {
      conclude(
          Outcome::kQueueTimeout,
          "Slurm did not start the job within " + describe_duration(run_.scenario.deadlines.queue),
          "pending, reason " + pending_reason_,
          "wait, ask for fewer nodes, or raise deadlines.queue");
    } else if (end_.interrupted) {
      conclude(Outcome::kCancelled, "interrupted by the user", "Ctrl-C", "");
    } else if (!finished_) {
      conclude_by_state();
    }
    return end_;
  }

  void conclude(Outcome outcome, std::string what, std::string cause, std::string remedy) {
    end_.outcome = outcome;
    end_.failure = Failure{.outcome = outcome,
                           .what = std::move(what),
                           .node = end_.state.nodes.empty() ? "" : join(end_.state.nodes, ","),
                           .phase = "job",
                           .cause = std::move(cause),
                           .evidence = last_batch_line(),
                           .remedy = std::move(remedy),
                           .files = batch_log_};
  }

  void conclude_by_state() {
    const std::string& word = end_.state.word;
    const std::string said =
        fmt::format("Slurm: {} {} exit code {}:{} (by {})", word, printable(end_.state.reason),
                    end_.state.exit_code, end_.state.exit_signal, end_.state.source);
    if (word == "CANCELLED") {
      conclude(Outcome::kCancelled, "the job was cancelled, and not by this program", said,
               "ask who cancelled it: sacct -j " + job_id_);
    } else if (word == "TIMEOUT" || word == "DEADLINE") {
      conclude(Outcome::kInfrastructure, "the job ran out of time", said,
               "raise allocation.time_limit, or do less in one job");
    } else if (word == "OUT_OF_MEMORY") {
      conclude(Outcome::kInfrastructure, "the job ran out of host memory", said,
               "ask for more memory, or all of it (--mem=0)");
    } else if (word == "COMPLETED") {
      conclude(Outcome::kInfrastructure, "the job ended without a complete record", said,
               "check that the nodes share the run directory and read the batch log");
    } else {
      conclude(Outcome::kInfrastructure, "the job did not end by itself", said,
               "read the batch log; exclude the node if it failed");
    }
  }

  JobEnd gone_astray() {
    const std::string what = fmt::format("job {} did not end", job_id_);
    conclude(Outcome::kInfrastructure, what,
             finished_ ? "its work was done, but Slurm still shows it"
                       : "it was cancelled, but Slurm still shows it",
             "scancel " + job_id_ + " by hand and look at the node's slurmd");
    return end_;
  }

  [[nodiscard]] std::string last_batch_line() const {
    const auto text = read_file(batch_log_, 64 << 20);
    const std::string_view body = text.ok() ? trim(*text) : std::string_view();
    const std::size_t newline = body.rfind('\n');
    return printable(body.substr(newline == std::string_view::npos ? 0 : newline + 1));
  }

  const RunFiles& run_;
  std::string job_id_;
  const FollowTools& tools_;
  const OnEntry& on_entry_;
  JournalReader reader_;
  std::string batch_log_;
  TimePoint started_;
  Rng jitter_;
  JobEnd end_;
  TimePoint next_poll_{};
  Nanos period_{0};
  std::optional<Nanos>
      poll_step_;  // shorter than the profile's period only while an end is expected
  std::optional<TimePoint> give_up_at_;
  std::string pending_reason_;
  bool finished_ = false;
  bool cancelled_ = false;
  bool queue_timeout_ = false;
  bool ran_ = false;
};

}  // namespace

Result<JobEnd> follow_job(const RunFiles& run, const JobPlan& job, const std::string& job_id,
                          const FollowTools& tools, const OnEntry& on_entry) {
  return Follower(run, job, job_id, tools, on_entry).follow();
}

}  // namespace sglexp
