// SPDX-License-Identifier: Apache-2.0
#include "harness/run/controller.h"

#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/fakes/fake_clock.h"
#include "harness/fakes/fake_scheduler.h"
#include "harness/record/json.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A cluster on which every job runs at once: its agent's whole record is there when sbatch returns.
class Controller : public ::testing::Test {
 protected:
  explicit Controller(const std::string& scenario = "numa_compare")
      : run_(sample_run(root_.path(),
                        sample_inputs({"repeats.blocks=1"}, "mi210_example", scenario))) {
    scheduler_.on_submit = [this](const JobSpec& spec) -> Result<std::string> {
      EXPECT_TRUE(path_exists(spec.script_path)) << spec.script_path;
      play(job_of(spec));
      return std::to_string(100 + scheduler_.submitted.size());
    };
    scheduler_.on_poll = [](const std::string& id) {
      return JobState{.id = id, .phase = JobPhase::kEnded, .word = "COMPLETED", .exit_code = 0};
    };
  }

  const JobPlan& job_of(const JobSpec& spec) {
    for (const JobPlan& job : run_.plan.jobs) {
      if (spec.script_path == run_.dir.job_dir(job.name) + "/job.sh") {
        return job;
      }
    }
    ADD_FAILURE() << spec.script_path;
    return run_.plan.jobs.front();
  }
  // What the job's agent writes.
  void play(const JobPlan& job) {
    json nodes = json::array();
    for (const std::string& node : nodes_) {
      nodes.push_back({{"node", node}});
    }
    journal_line(run_, job.name, "job_started", json({{"job_id", "1"}, {"nodes", nodes}}).dump());
    if (failing_job_ == job.name) {
      journal_line(run_, job.name, "job_finished",
                   R"({"outcome": "startup", "failure": {"outcome": "startup", "what": "died"}})");
      return;
    }
    for (const int index : job.slots) {
      const SlotPlan& slot = run_.plan.slots[static_cast<std::size_t>(index)];
      for (const TrialPlan& trial : slot.trials) {
        const TrialRecord record = sample_trial(run_, slot, trial, 1000, nodes_);
        const std::string file = run_.dir.trial_file(record.key);
        ASSERT_TRUE(write_file_atomic(file, trial_to_json(record)).ok());
        journal_line(run_, job.name, "trial_finished",
                     json({{"key", record.key.text()}, {"file", run_.dir.relative(file)}}).dump());
      }
    }
    journal_line(run_, job.name, "job_finished", R"({"outcome": "passed", "failure": null})");
  }
  ControllerTools tools() {
    return {.scheduler = scheduler_,
            .clock = clock_,
            .store = store_,
            .signals = signals_,
            .paths = paths_,
            .progress = [this](const std::string& line) { progress_.push_back(line); }};
  }
  RunConclusion follow() {
    const auto conclusion = follow_run(run_, {}, tools());
    EXPECT_TRUE(conclusion.ok()) << conclusion.error().message;
    return conclusion.ok() ? *conclusion : RunConclusion{};
  }
  RunInfo info() { return store_.load_run(run_.uuid).value(); }
  // As a controller that died there leaves it.
  void died(const std::string& job, const std::string& id) {
    const auto log = ControllerLog::open(run_.dir, clock_);
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE((*log)->submitting(job).ok());
    if (!id.empty()) {
      ASSERT_TRUE((*log)->submitted(job, id).ok());
    }
  }

  TempDir root_;
  RunFiles run_;
  FakeClock clock_;
  FakeScheduler scheduler_;
  StopSignals signals_;
  Store store_ = std::move(Store::open("", OpenMode::kMemory)).value();
  InstallPaths paths_{"/opt/sglexp/bin/sglexp", "/opt/sglexp/libexec/sglexp",
                      "/opt/sglexp/share/sglexp"};
  std::vector<std::string> nodes_ = {"mi210-01", "mi210-02"};
  std::string failing_job_;
  std::vector<std::string> progress_;
};

TEST_F(Controller, SubmitsFollowsAndConcludes) {
  const RunConclusion conclusion = follow();
  EXPECT_EQ(conclusion.outcome, Outcome::kPassed);
  EXPECT_EQ(conclusion.exit, ExitCode::kOk);
  EXPECT_FALSE(conclusion.interrupted);
  ASSERT_THAT(scheduler_.submitted, SizeIs(1));
  EXPECT_EQ(scheduler_.submitted[0].name, "sglexp-" + run_.token);
  EXPECT_THAT(scheduler_.tokens, IsEmpty());
  EXPECT_EQ(info().status, "complete");
  EXPECT_THAT(info().job_ids, ElementsAre("101"));
  EXPECT_THAT(progress_, Contains("job 101 submitted to mi210_example"));
}

TEST_F(Controller, AFinishedRunIsNotRunAgain) {
  follow();
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
}

TEST_F(Controller, AnAnswerThatWasLostIsLookedUpByToken) {
  scheduler_.on_submit = [this](const JobSpec& spec) -> Result<std::string> {
    play(job_of(spec));
    return Error{ErrorCode::kTimedOut, "Socket timed out"};
  };
  scheduler_.on_find = [](std::string_view) { return std::vector<std::string>{"777"}; };
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
  EXPECT_THAT(scheduler_.tokens, ElementsAre(run_.token));
  EXPECT_THAT(info().job_ids, ElementsAre("777"));
}

TEST_F(Controller, AnAnswerThatWasLostAndNoJobIsAFailure) {
  scheduler_.on_submit = [](const JobSpec&) -> Result<std::string> {
    return Error{ErrorCode::kTimedOut, "Socket timed out"};
  };
  EXPECT_EQ(follow().outcome, Outcome::kInfrastructure);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
  EXPECT_THAT(info().failure->cause, HasSubstr("Socket timed out"));
  EXPECT_EQ(info().status, "aborted");
}

TEST_F(Controller, AJobThatMayExistIsNeverGivenUp) {
  // Lost answer, and then nobody to ask: the job may start in an hour. The run stays open.
  scheduler_.on_submit = [](const JobSpec&) -> Result<std::string> {
    return Error{ErrorCode::kTimedOut, "Socket timed out"};
  };
  scheduler_.on_find = [](std::string_view) -> Result<std::vector<std::string>> {
    return Error{ErrorCode::kUnavailable, "Unable to contact slurm controller"};
  };
  const auto conclusion = follow_run(run_, {}, tools());
  ASSERT_FALSE(conclusion.ok());
  EXPECT_EQ(conclusion.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(conclusion.error().message,
              AllOf(HasSubstr("Unable to contact"), HasSubstr("sglexp attach")));
  EXPECT_EQ(info().status, "running");
  // Later it is found, and followed to its end.
  play(run_.plan.jobs.front());
  scheduler_.on_find = [](std::string_view) { return std::vector<std::string>{"777"}; };
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
}

TEST_F(Controller, ACrashWhileSubmittingFindsTheJob) {
  died("shared", "");
  play(run_.plan.jobs.front());
  scheduler_.on_find = [](std::string_view) { return std::vector<std::string>{"555"}; };
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.submitted, IsEmpty());
  EXPECT_THAT(info().job_ids, ElementsAre("555"));
}

TEST_F(Controller, ACrashBeforeTheSubmitSubmits) {
  died("shared", "");
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.tokens, ElementsAre(run_.token));
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
}

TEST_F(Controller, ACrashAfterTheSubmitFollowsThatJob) {
  died("shared", "333");
  play(run_.plan.jobs.front());
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.submitted, IsEmpty());
  EXPECT_THAT(scheduler_.tokens, IsEmpty());
}

TEST_F(Controller, ARefusedJobIsAUsageErrorInSlurmsWords) {
  scheduler_.on_submit = [](const JobSpec&) -> Result<std::string> {
    return Error{ErrorCode::kInvalidInput, "invalid partition specified: mi210"};
  };
  const RunConclusion conclusion = follow();
  EXPECT_EQ(conclusion.outcome, Outcome::kUsage);
  EXPECT_EQ(conclusion.exit, ExitCode::kUsage);
  EXPECT_THAT(info().failure->cause, HasSubstr("invalid partition"));
}

TEST_F(Controller, OnlyOneProcessFollows) {
  const auto other = ControllerLog::open(run_.dir, clock_);
  ASSERT_TRUE(other.ok());
  const auto second = follow_run(run_, {}, tools());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(scheduler_.submitted, IsEmpty());
}

TEST_F(Controller, AJobWithoutARecordIsNotAPass) {
  scheduler_.on_submit = [](const JobSpec&) { return Result<std::string>("101"); };
  EXPECT_EQ(follow().outcome, Outcome::kInfrastructure);
  EXPECT_THAT(info().failure->what, HasSubstr("without a complete record"));
}

TEST_F(Controller, CtrlCExitsWith130) {
  raise(SIGINT);
  scheduler_.on_submit = [](const JobSpec&) { return Result<std::string>("101"); };
  const RunConclusion conclusion = follow();
  EXPECT_EQ(conclusion.outcome, Outcome::kCancelled);
  EXPECT_EQ(conclusion.exit, ExitCode::kInterrupted);
  EXPECT_THAT(scheduler_.cancelled, ElementsAre("101"));
}

TEST_F(Controller, AJournalLineWithStrangeMembersIsNoCrash) {
  scheduler_.on_submit = [this](const JobSpec& spec) -> Result<std::string> {
    journal_line(run_, "shared", "job_started", R"({"job_id": 7})");
    journal_line(run_, "shared", "slot_started", R"({"slot": "x", "block": [], "arm": 1})");
    journal_line(run_, "shared", "postflight", "");
    play(job_of(spec));
    return std::string("101");
  };
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
}

TEST_F(Controller, DetachSubmitsAndLeaves) {
  ASSERT_TRUE(register_run(run_, store_).ok());
  const auto id = submit_first_job(run_, tools());
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_EQ(*id, "101");
  EXPECT_EQ(info().status, "running");
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
}

TEST_F(Controller, DetachThatIsRefusedEndsTheRun) {
  scheduler_.on_submit = [](const JobSpec&) -> Result<std::string> {
    return Error{ErrorCode::kInvalidInput, "invalid partition specified: mi210"};
  };
  ASSERT_TRUE(register_run(run_, store_).ok());
  const auto id = submit_first_job(run_, tools());
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(id.error().message, HasSubstr("invalid partition"));
  EXPECT_EQ(info().status, "aborted");
}

TEST_F(Controller, CancelEndsTheJobAndConcludes) {
  died("shared", "333");
  scheduler_.on_poll = [this](const std::string& id) {
    return scheduler_.cancelled.empty()
               ? JobState{.id = id, .phase = JobPhase::kRunning, .word = "RUNNING"}
               : JobState{.id = id, .phase = JobPhase::kEnded, .word = "CANCELLED"};
  };
  const auto conclusion = cancel_run(run_, tools());
  ASSERT_TRUE(conclusion.ok()) << conclusion.error().message;
  EXPECT_EQ(conclusion->outcome, Outcome::kCancelled);
  EXPECT_THAT(scheduler_.cancelled, ElementsAre("333"));
  EXPECT_EQ(info().failure->what, "cancelled by sglexp cancel");
}

TEST_F(Controller, CancelFindsAJobWhoseIdWasLost) {
  died("shared", "");
  scheduler_.on_find = [](std::string_view) { return std::vector<std::string>{"555"}; };
  scheduler_.on_poll = [](const std::string& id) {
    return JobState{.id = id, .phase = JobPhase::kEnded, .word = "CANCELLED"};
  };
  const auto conclusion = cancel_run(run_, tools());
  ASSERT_TRUE(conclusion.ok()) << conclusion.error().message;
  EXPECT_THAT(scheduler_.cancelled, ElementsAre("555"));
  EXPECT_THAT(scheduler_.submitted, IsEmpty());
}

// One job a slot: two jobs, whose GPUs Slurm picks.
class ControllerPerSlot : public Controller {
 protected:
  ControllerPerSlot() : Controller("numa_compare_request") {}
};

TEST_F(ControllerPerSlot, LaterJobsOfABlockStayOnItsNodes) {
  EXPECT_EQ(follow().outcome, Outcome::kPassed);
  ASSERT_THAT(scheduler_.submitted, SizeIs(2));
  EXPECT_THAT(scheduler_.submitted[0].args, Not(Contains(StartsWith("--nodelist"))));
  EXPECT_THAT(scheduler_.submitted[1].args, Contains("--nodelist=mi210-01,mi210-02"));
}

TEST_F(ControllerPerSlot, EveryJobHasATokenOfItsOwn) {
  follow();
  ASSERT_THAT(scheduler_.submitted, SizeIs(2));
  EXPECT_NE(scheduler_.submitted[0].name, scheduler_.submitted[1].name);
  for (const JobSpec& spec : scheduler_.submitted) {
    EXPECT_THAT(spec.name, HasSubstr(run_.token + "-" + job_of(spec).name));
  }
}

TEST_F(ControllerPerSlot, EachJobAsksForItsArm) {
  follow();
  ASSERT_THAT(scheduler_.submitted, SizeIs(2));
  for (const JobSpec& spec : scheduler_.submitted) {
    const SlotPlan& slot = run_.plan.slots[static_cast<std::size_t>(job_of(spec).slots.at(0))];
    for (const std::string& word :
         run_.scenario.arms[static_cast<std::size_t>(slot.arm)].placement.request_args) {
      EXPECT_THAT(spec.args, Contains(word));
    }
  }
}

TEST_F(ControllerPerSlot, TheFirstFailedJobIsTheLast) {
  failing_job_ = run_.plan.jobs.front().name;
  EXPECT_EQ(follow().outcome, Outcome::kStartup);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
  EXPECT_EQ(info().failure->what, "died");
}

TEST_F(ControllerPerSlot, AFailureIsRememberedByWhoeverFollowsLater) {
  failing_job_ = run_.plan.jobs.front().name;
  follow();
  EXPECT_EQ(follow().outcome, Outcome::kStartup);
  EXPECT_THAT(scheduler_.submitted, SizeIs(1));
}

TEST_F(ControllerPerSlot, CancelSubmitsNothing) {
  // The controller died after the first job had ended well.
  const JobPlan& first = run_.plan.jobs.front();
  play(first);
  died(first.name, "101");
  const auto conclusion = cancel_run(run_, tools());
  ASSERT_TRUE(conclusion.ok()) << conclusion.error().message;
  EXPECT_EQ(conclusion->outcome, Outcome::kCancelled);
  EXPECT_THAT(scheduler_.submitted, IsEmpty());
  EXPECT_EQ(info().status, "aborted");
  EXPECT_THAT(info().failure->what, HasSubstr(run_.plan.jobs.back().name));
}

}  // namespace
}  // namespace sglexp
