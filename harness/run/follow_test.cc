// SPDX-License-Identifier: Apache-2.0
#include "harness/run/follow.h"

#include <signal.h>

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/fake_clock.h"
#include "harness/fakes/fake_scheduler.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kPassed = R"({"outcome": "passed", "failure": null})";

// A job that follows a script over simulated time: at these moments its state changes, or its agent
// writes a line, or something else happens.
class Follow : public ::testing::Test {
 protected:
  Follow()
      : run_(sample_run(dir_.path(),
                        sample_inputs({"deadlines.queue=1h", "allocation.time_limit=3h"}))) {
    scheduler_.on_poll = [this](const std::string& id) -> Result<JobState> {
      if (controller_away_) {
        return Error{ErrorCode::kUnavailable, "Unable to contact slurm controller"};
      }
      JobState state = state_;
      state.id = id;
      return state;
    };
    clock_.on_advance([this](Nanos elapsed) {
      while (!script_.empty() && script_.begin()->first <= elapsed) {
        const auto step = std::move(script_.begin()->second);
        script_.erase(script_.begin());
        step();
      }
    });
  }

  void at(Nanos when, std::function<void()> step) { script_.emplace(when, std::move(step)); }
  void becomes(Nanos when, JobPhase phase, const std::string& word,
               const std::string& reason = "") {
    at(when, [this, phase, word, reason] {
      state_.phase = phase;
      state_.word = word;
      state_.reason = reason;
    });
  }
  void ends(Nanos when, const std::string& word) { becomes(when, JobPhase::kEnded, word); }
  void runs(Nanos when) { becomes(when, JobPhase::kRunning, "RUNNING"); }
  void writes(Nanos when, const std::string& type, const std::string& members = "") {
    at(when, [this, type, members] { journal_line(run_, "shared", type, members); });
  }
  void cancel_ends_the_job() {
    scheduler_.on_cancel = [this](const std::string&) -> Status {
      if (controller_away_) {
        return Error{ErrorCode::kUnavailable, "Unable to contact slurm controller"};
      }
      ends(clock_.elapsed() + Seconds(2), "CANCELLED");
      return Ok{};
    };
  }

  Result<JobEnd> follow() {
    const FollowTools tools{
        .scheduler = scheduler_,
        .clock = clock_,
        .signals = signals_,
        .progress = [this](const std::string& line) { progress_.push_back(line); }};
    return follow_job(
        run_, run_.plan.jobs.front(), "4711", tools, [this](const JournalEntry& entry) -> Status {
          seen_.push_back(entry.type);
          return entry.type == "poison" ? Status(Error{ErrorCode::kInternal, "poison"})
                                        : Status(Ok{});
        });
  }
  JobEnd end_of_job() {
    auto end = follow();
    EXPECT_TRUE(end.ok()) << end.error().message;
    return end.ok() ? *end : JobEnd{};
  }

  TempDir dir_;
  RunFiles run_;
  FakeClock clock_;
  FakeScheduler scheduler_;
  StopSignals signals_;
  JobState state_{.phase = JobPhase::kPending, .word = "PENDING", .reason = "Resources"};
  bool controller_away_ = false;
  std::multimap<Nanos, std::function<void()>> script_;
  std::vector<std::string> progress_;
  std::vector<std::string> seen_;
};

TEST_F(Follow, AJobThatSaysSoAndIsGoneHasEndedWell) {
  runs(Seconds(50));
  writes(Seconds(60), "job_started");
  writes(Seconds(300), "job_finished", kPassed);
  ends(Seconds(302), "COMPLETED");
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kPassed);
  EXPECT_FALSE(end.failure);
  EXPECT_FALSE(end.interrupted);
  EXPECT_EQ(end.state.word, "COMPLETED");
  EXPECT_THAT(seen_, ElementsAre("job_started", "job_finished"));
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
  // The journal wakes the poll up: no wait for the next 30 s.
  EXPECT_LT(clock_.elapsed(), Seconds(310));
}

TEST_F(Follow, TellsEachChangeOfStateOnce) {
  becomes(Seconds(100), JobPhase::kPending, "PENDING", "Priority");
  runs(Seconds(200));
  writes(Seconds(900), "job_finished", kPassed);
  ends(Seconds(901), "COMPLETED");
  end_of_job();
  EXPECT_THAT(progress_,
              ElementsAre("job 4711: PENDING (Resources)", "job 4711: PENDING (Priority)",
                          "job 4711: RUNNING", "job 4711: COMPLETED"));
}

TEST_F(Follow, TheAgentsFailureIsTheJobs) {
  runs(Seconds(1));
  writes(Seconds(5), "job_finished",
         R"({"outcome": "startup", "failure": {"outcome": "startup", "what": "w1 died"}})");
  ends(Seconds(7), "FAILED");
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kStartup);
  ASSERT_TRUE(end.failure);
  EXPECT_EQ(end.failure->what, "w1 died");
}

TEST_F(Follow, LastLinesMayArriveAfterTheEnd) {
  runs(Seconds(1));
  const auto answer = scheduler_.on_poll;
  scheduler_.on_poll = [=, this](const std::string& id) {
    if (state_.phase == JobPhase::kEnded) {  // a network file system shows them later
      writes(clock_.elapsed() + Seconds(8), "job_finished", kPassed);
    }
    return answer(id);
  };
  ends(Seconds(100), "COMPLETED");
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
}

struct StateCase {
  const char* word;
  Outcome outcome;
  const char* what;
};
class FollowEnd : public Follow, public ::testing::WithParamInterface<StateCase> {};

TEST_P(FollowEnd, WithoutARecordIsNamedByItsState) {
  runs(Seconds(10));
  ends(Seconds(100), GetParam().word);
  at(Seconds(99), [this] {
    state_.exit_code = 3;
    state_.source = "scontrol";
    state_.nodes = {"mi210-01", "mi210-02"};
    ASSERT_TRUE(
        write_file_atomic(run_.dir.batch_log("shared"), "one\nslurmstepd: \x1b[31mbye\n\n").ok());
  });
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, GetParam().outcome);
  ASSERT_TRUE(end.failure);
  EXPECT_EQ(end.failure->outcome, GetParam().outcome);
  EXPECT_THAT(end.failure->what, HasSubstr(GetParam().what));
  EXPECT_THAT(end.failure->cause,
              AllOf(HasSubstr(GetParam().word), HasSubstr("exit code 3:0"), HasSubstr("scontrol")));
  EXPECT_EQ(end.failure->node, "mi210-01,mi210-02");
  EXPECT_THAT(end.failure->evidence, AllOf(HasSubstr("slurmstepd"), Not(HasSubstr("\x1b"))));
  EXPECT_FALSE(end.failure->remedy.empty());
  EXPECT_EQ(end.failure->files, run_.dir.batch_log("shared"));
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    States, FollowEnd,
    ::testing::Values(StateCase{"COMPLETED", Outcome::kInfrastructure, "without a complete record"},
                      StateCase{"CANCELLED", Outcome::kCancelled, "not by this program"},
                      StateCase{"TIMEOUT", Outcome::kInfrastructure, "out of time"},
                      StateCase{"DEADLINE", Outcome::kInfrastructure, "out of time"},
                      StateCase{"OUT_OF_MEMORY", Outcome::kInfrastructure, "out of host memory"},
                      StateCase{"NODE_FAIL", Outcome::kInfrastructure, "did not end by itself"},
                      StateCase{"PREEMPTED", Outcome::kInfrastructure, "did not end by itself"},
                      StateCase{"FAILED", Outcome::kInfrastructure, "did not end by itself"}),
    [](const auto& state) { return std::string(state.param.word); });

TEST_F(Follow, PendingBeyondTheQueueDeadlineIsCancelledWithSlurmsReason) {
  becomes(Seconds(600), JobPhase::kPending, "PENDING",
          "ReqNodeNotAvail, UnavailableNodes:mi210-07");
  cancel_ends_the_job();
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kQueueTimeout);
  ASSERT_TRUE(end.failure);
  EXPECT_THAT(end.failure->cause, HasSubstr("ReqNodeNotAvail, UnavailableNodes:mi210-07"));
  EXPECT_THAT(end.failure->what, HasSubstr("60 min"));
  EXPECT_THAT(scheduler_.cancelled, ElementsAre("4711"));
  EXPECT_GE(clock_.elapsed(), Seconds(3600));
  EXPECT_LT(clock_.elapsed(), Seconds(3620));
}

TEST_F(Follow, AJobThatStartedJustBeforeTheQueueDeadlineIsLeftAlone) {
  runs(Seconds(3599));  // between two polls
  cancel_ends_the_job();
  writes(Seconds(5000), "job_finished", kPassed);
  at(Seconds(5001), [this] { state_ = {.phase = JobPhase::kEnded, .word = "COMPLETED"}; });
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

TEST_F(Follow, ARequeuedJobIsNotHeldToTheQueueDeadline) {
  runs(Seconds(60));
  becomes(Seconds(600), JobPhase::kPending, "PENDING", "BeginTime");
  runs(Seconds(5000));
  writes(Seconds(6000), "job_finished", kPassed);
  ends(Seconds(6001), "COMPLETED");
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

TEST_F(Follow, AnAbsentControllerConcludesNothing) {
  runs(Seconds(60));
  at(Seconds(100), [this] { controller_away_ = true; });
  at(Seconds(5000), [this] { controller_away_ = false; });
  writes(Seconds(8000), "job_finished", kPassed);
  ends(Seconds(8001), "COMPLETED");
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

TEST_F(Follow, AnAbsentControllerIsAskedLessAndLess) {
  at(Seconds(0), [this] { controller_away_ = true; });
  at(Seconds(3000), [this] { controller_away_ = false; });
  runs(Seconds(2000));
  writes(Seconds(6000), "job_finished", kPassed);
  int polls_while_away = 0;
  at(Seconds(2999), [&] { polls_while_away = scheduler_.polls; });
  ends(Seconds(6001), "COMPLETED");
  end_of_job();
  EXPECT_LE(polls_while_away, 16);  // 30, 60, 120, 240, then every 300 s
  EXPECT_GE(polls_while_away, 10);
}

TEST_F(Follow, WorkThatIsDoneOutlivesAnAbsentController) {
  runs(Seconds(60));
  at(Seconds(100), [this] { controller_away_ = true; });
  writes(Seconds(200), "job_finished", kPassed);
  ends(Seconds(201), "COMPLETED");
  at(Seconds(2000), [this] { controller_away_ = false; });
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
}

TEST_F(Follow, TheQueueDeadlineWaitsForAnAnswer) {
  at(Seconds(3000), [this] { controller_away_ = true; });
  runs(Seconds(3100));
  at(Seconds(5000), [this] { controller_away_ = false; });
  cancel_ends_the_job();
  writes(Seconds(8000), "job_finished", kPassed);
  ends(Seconds(8001), "COMPLETED");
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

TEST_F(Follow, CtrlCCancelsAndWaitsForTheEnd) {
  runs(Seconds(10));
  at(Seconds(100), [] { raise(SIGINT); });
  cancel_ends_the_job();
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kCancelled);
  EXPECT_TRUE(end.interrupted);
  EXPECT_EQ(end.state.word, "CANCELLED");
  ASSERT_TRUE(end.failure);
  EXPECT_THAT(end.failure->what, HasSubstr("by the user"));
  EXPECT_THAT(scheduler_.cancelled, ElementsAre("4711"));
  EXPECT_THAT(progress_, Contains(HasSubstr("Ctrl-C again")));
}

TEST_F(Follow, ASecondCtrlCLeavesAtOnce) {
  runs(Seconds(10));
  at(Seconds(100), [] { raise(SIGINT); });
  at(Seconds(101), [] { raise(SIGINT); });
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kCancelled);
  EXPECT_TRUE(end.interrupted);
  EXPECT_LT(clock_.elapsed(), Seconds(102));
  EXPECT_GE(scheduler_.cancelled.size(), 1U);
  EXPECT_THAT(end.failure->remedy, HasSubstr("squeue -j 4711"));
}

TEST_F(Follow, ACancelThatTheControllerDidNotTakeIsSentAgain) {
  runs(Seconds(10));
  at(Seconds(90), [this] { controller_away_ = true; });
  at(Seconds(100), [] { raise(SIGINT); });
  at(Seconds(160), [this] { controller_away_ = false; });
  cancel_ends_the_job();
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kCancelled);
  EXPECT_EQ(end.state.word, "CANCELLED");
  EXPECT_GE(scheduler_.cancelled.size(), 2U);
}

TEST_F(Follow, DoneInTheJournalButKeptBySlurmIsInfrastructure) {
  runs(Seconds(10));
  writes(Seconds(100), "job_finished", kPassed);
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kInfrastructure);
  ASSERT_TRUE(end.failure);
  EXPECT_THAT(end.failure->what, HasSubstr("job 4711 did not end"));
  EXPECT_THAT(end.failure->cause, HasSubstr("Slurm still shows it"));
  EXPECT_GE(clock_.elapsed(), Seconds(190));
  EXPECT_LT(clock_.elapsed(), Seconds(260));
}

TEST_F(Follow, DoneInTheJournalAndForgottenBySlurmHasEnded) {
  // Attached a day later, on a cluster without accounting: nobody lists the job any more.
  state_ = {.phase = JobPhase::kUnknown,
            .reason = "neither the controller nor accounting lists it"};
  writes(Seconds(0), "job_finished", kPassed);
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kPassed);
  EXPECT_FALSE(end.failure);
}

TEST_F(Follow, AWordThatNobodyKnowsIsNotAnEnd) {
  becomes(Seconds(10), JobPhase::kUnknown, "TELEPORTED");
  writes(Seconds(5000), "job_finished", kPassed);
  ends(Seconds(5001), "COMPLETED");
  EXPECT_EQ(end_of_job().outcome, Outcome::kPassed);
  EXPECT_THAT(progress_, Contains("job 4711: TELEPORTED"));
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

TEST_F(Follow, AJobLongBeyondItsTimeLimitIsCancelledByUsAndSaysSo) {
  runs(Seconds(10));
  cancel_ends_the_job();
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kInfrastructure);
  ASSERT_TRUE(end.failure);
  EXPECT_THAT(end.failure->what, Not(HasSubstr("not by this program")));
  EXPECT_THAT(end.failure->cause, HasSubstr("time limit"));
  EXPECT_GE(clock_.elapsed(), Seconds(4 * 3600 + 600));
}

TEST_F(Follow, ACancelThatChangesNothingIsNotWaitedForForEver) {
  runs(Seconds(10));
  at(Seconds(100), [] { raise(SIGTERM); });
  const JobEnd end = end_of_job();
  EXPECT_EQ(end.outcome, Outcome::kInfrastructure);
  EXPECT_TRUE(end.interrupted);
  EXPECT_THAT(end.failure->remedy, HasSubstr("scancel 4711"));
  EXPECT_GE(clock_.elapsed(), Seconds(280));
  EXPECT_LT(clock_.elapsed(), Seconds(400));
}

TEST_F(Follow, AsksThePolitelyLongPeriodWithJitter) {
  runs(Seconds(0));
  std::vector<Nanos> asked;
  const auto answer = scheduler_.on_poll;
  scheduler_.on_poll = [&](const std::string& id) {
    asked.push_back(clock_.elapsed());
    return answer(id);
  };
  writes(Seconds(3600), "job_finished", kPassed);
  ends(Seconds(3601), "COMPLETED");
  end_of_job();
  // 30 to 36 s apart: 100 to 121 in an hour, and a few while the end is expected.
  EXPECT_GE(asked.size(), 100U);
  EXPECT_LE(asked.size(), 126U);
  std::set<Nanos> gaps;
  for (std::size_t i = 1; i < 100; ++i) {
    const Nanos gap = asked[i] - asked[i - 1];
    EXPECT_GE(gap, Seconds(30));
    EXPECT_LE(gap, Seconds(37));
    gaps.insert(gap);
  }
  EXPECT_GT(gaps.size(), 10U);  // two runs that started together drift apart
}

TEST_F(Follow, AnEntryThatCannotBeTakenEndsTheFollowingNotTheJob) {
  runs(Seconds(0));
  writes(Seconds(5), "poison");
  const auto end = follow();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().message, "poison");
  EXPECT_THAT(scheduler_.cancelled, IsEmpty());
}

TEST_F(Follow, AFinishWithoutAnOutcomeIsAnError) {
  writes(Seconds(5), "job_finished", R"({"outcome": 7})");
  const auto end = follow();
  ASSERT_FALSE(end.ok());
  EXPECT_THAT(end.error().message, HasSubstr("without a known outcome"));
}

}  // namespace
}  // namespace sglexp
