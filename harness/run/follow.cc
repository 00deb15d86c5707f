// SPDX-License-Identifier: Apache-2.0
#include "harness/run/follow.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/run/journal_members.h"
#include "harness/run/poll_pace.h"
#include "harness/run/unrecorded_end.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

constexpr Nanos kTailPeriod = Millis(100);       // of the journal: a local read
constexpr Nanos kSettle = Seconds(10);           // for a network file system to show the last lines
constexpr Nanos kEndAfterJournal = Seconds(90);  // job_finished written, Slurm still says running
constexpr Nanos kEndAfterCancel = Seconds(180);  // KillWait and epilog included
constexpr Nanos kBeyondAllLimits = Seconds(600);  // after queue deadline and time limit together

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
        pace_(run.profile.poll_period, fnv1a(run.token)),
        queue_deadline_(tools.clock.now() + run.scenario.deadlines.queue),
        last_deadline_(queue_deadline_ + run.scenario.allocation.time_limit + kBeyondAllLimits) {
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
      if (patience_is_over()) {
        return never_seen_to_end();
      }
      tools_.clock.sleep_for(kTailPeriod);
    }
  }

 private:
  [[nodiscard]] TimePoint now() const { return tools_.clock.now(); }

  Status read_journal() {
    SGLEXP_TRY(const std::vector<JournalEntry> entries, reader_.read_new());
    for (const JournalEntry& entry : entries) {
      has_run_ = true;
      SGLEXP_CHECK(on_entry_(entry));
      if (entry.type == "job_finished") {
        SGLEXP_CHECK(take_finish(entry));
      }
    }
    return Ok{};
  }

  Status take_finish(const JournalEntry& entry) {
    const auto outcome = parse_outcome(text_member(entry, "outcome"));
    if (!outcome) {
      return Error{ErrorCode::kInvalidInput, "journal: job_finished without a known outcome"};
    }
    finished_ = true;
    end_.outcome = *outcome;
    SGLEXP_TRY(end_.failure, failure_member(entry));
    // The journal ends the wait first; one early question then confirms it.
    pace_.hurry(now(), Millis(300));
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
    ask_to_cancel();
    pace_.hurry(now(), Millis(200));
    expect_end_within(kEndAfterCancel);
  }

  void ask_to_cancel() {
    const Status asked = tools_.scheduler.cancel(job_id_);
    cancel_taken_ = asked.ok();
    if (!asked.ok()) {
      tools_.progress("scancel: " + asked.error().message);
    }
  }

  void expect_end_within(Nanos limit) {
    const TimePoint at = now() + limit;
    patience_until_ = patience_until_ ? std::min(*patience_until_, at) : at;
  }

  [[nodiscard]] bool waits_in_queue() const {
    return !has_run_ && end_.state.phase == JobPhase::kPending;
  }

  void poll_if_due() {
    // The queue deadline is judged by an answer of its own, not by one of half a minute ago.
    const bool deadline_question = waits_in_queue() && now() >= queue_deadline_ && !queue_asked_;
    if (!pace_.due(now()) && !deadline_question) {
      return;
    }
    queue_asked_ = queue_asked_ || deadline_question;
    if (cancelled_ && !cancel_taken_) {
      ask_to_cancel();
    }
    const std::vector<std::string> ids = {job_id_};
    const auto states = tools_.scheduler.poll(ids);
    if (!states.ok() || states->size() != 1) {
      pace_.unanswered(now());  // controller away: the job goes on without it
      return;
    }
    answered_at_ = now();
    pace_.answered(now());
    take_state(states->front());
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
      has_run_ = true;
    }
    end_.state = state;
  }

  void enforce_deadlines() {
    if (!cancelled_ && !finished_ && waits_in_queue() && answered_at_ >= queue_deadline_) {
      queue_timeout_ = true;
      cancel("pending for longer than the queue deadline: cancelling");
    }
    if (!overdue_ && now() >= last_deadline_) {
      overdue_ = true;
      cancel("no end long after the time limit: cancelling");
    }
  }

  // An answer that still shows the job ends the wait, silence does not: unless the user wants to
  // leave, or all limits are behind.
  [[nodiscard]] bool patience_is_over() const {
    return patience_until_ && now() >= *patience_until_ &&
           (answered_at_ >= *patience_until_ || end_.interrupted || overdue_);
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
    const bool at_once = finished_ || cancelled_ || run_.profile.scheduler == SchedulerKind::kMock;
    const TimePoint until = now() + (at_once ? Nanos(Millis(500)) : kSettle);
    while (!finished_ && now() < until) {
      tools_.clock.sleep_for(kTailPeriod);
      SGLEXP_CHECK(read_journal());
    }
    if (queue_timeout_) {
      conclude({.outcome = Outcome::kQueueTimeout,
                .what = "Slurm did not start the job within " +
                        describe_duration(run_.scenario.deadlines.queue),
                .cause = "pending, reason " + pending_reason_,
                .remedy = "wait, ask for fewer nodes, or raise deadlines.queue"});
    } else if (end_.interrupted) {
      conclude(
          {.outcome = Outcome::kCancelled, .what = "interrupted by the user", .cause = "Ctrl-C"});
    } else if (!finished_ && overdue_) {
      conclude({.outcome = Outcome::kInfrastructure,
                .what = "the job had to be cancelled: it did not end by itself",
                .cause = "no end long after its queue deadline and time limit together",
                .remedy = "read the batch log; ask why Slurm did not end it at its time limit"});
    } else if (!finished_) {
      conclude(unrecorded_end(end_.state));
    }
    return end_;
  }

  JobEnd never_seen_to_end() {
    const bool answered = answered_at_ >= *patience_until_;
    if (finished_ && answered && end_.state.phase == JobPhase::kUnknown &&
        end_.state.word.empty()) {
      // Slurm forgets ended jobs (MinJobAge); without accounting nobody lists it any more. It does
      // not run, and its journal says how it ended.
      return end_;
    }
    const char* did = finished_ ? "its work was done" : "it was cancelled";
    conclude({.outcome = Outcome::kInfrastructure,
              .what = fmt::format("job {} did not end", job_id_),
              .cause = fmt::format(
                  "{}, but {}", did,
                  answered ? "Slurm still shows it" : "the controller has not answered since"),
              .remedy = "scancel " + job_id_ + " by hand and look at the node's slurmd"});
    return end_;
  }

  void conclude(Failure failure) {
    failure.node = join(end_.state.nodes, ",");
    failure.phase = "job";
    failure.evidence = last_batch_line();
    failure.files = batch_log_;
    end_.outcome = failure.outcome;
    end_.failure = std::move(failure);
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
  PollPace pace_;
  TimePoint queue_deadline_;
  TimePoint last_deadline_;
  JobEnd end_;
  TimePoint answered_at_{};                  // when Slurm last answered
  std::optional<TimePoint> patience_until_;  // an end is expected until then
  std::string pending_reason_;
  bool has_run_ = false;        // it has left the queue, by Slurm's word or its journal
  bool finished_ = false;       // its journal says so
  bool queue_asked_ = false;    // after the queue deadline
  bool queue_timeout_ = false;  // we cancelled it for that
  bool overdue_ = false;        // we cancelled it for that
  bool cancelled_ = false;      // by us, for whatever reason
  bool cancel_taken_ = false;   // Slurm took our cancel
};

}  // namespace

Result<JobEnd> follow_job(const RunFiles& run, const JobPlan& job, const std::string& job_id,
                          const FollowTools& tools, const OnEntry& on_entry) {
  return Follower(run, job, job_id, tools, on_entry).follow();
}

}  // namespace sglexp
