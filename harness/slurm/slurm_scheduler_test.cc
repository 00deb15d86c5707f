// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/slurm_scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "harness/fakes/fake_clock.h"
#include "harness/fakes/fake_process_runner.h"
#include "harness/slurm/recorded_answer.h"

namespace sglexp {
namespace {

class SlurmSchedulerTest : public testing::Test {
 protected:
  // Every scripted answer was used and nothing else was asked.
  void TearDown() override {
    EXPECT_TRUE(runner_.unexpected().empty()) << join(runner_.unexpected(), "\n");
    EXPECT_EQ(runner_.unused_replies(), 0U);
  }

  std::string line(std::size_t index) { return join(runner_.commands().at(index).argv, " "); }
  JobState poll_one(const std::string& id) {
    const std::vector<std::string> ids = {id};
    auto states = scheduler_.poll(ids);
    EXPECT_TRUE(states.ok()) << states.error().message;
    return states.ok() ? states->at(0) : JobState{};
  }

  FakeProcessRunner runner_;
  FakeClock clock_;
  SlurmScheduler scheduler_{
      runner_, clock_, {"/opt/mock", {{"MOCK_STATE", "/s"}}, "alice", Seconds(30), Seconds(5)}};
  const JobSpec spec_{"sglexp-run-1", "run-1", "/runs/1/job.sh", {"--nodes=2"}};
};

const std::string* value_of(const Command& command, const std::string& name) {
  const std::string* value = nullptr;
  for (const auto& [key, text] : command.env_set) {
    value = key == name ? &text : value;
  }
  return value;
}

TEST_F(SlurmSchedulerTest, SubmitsWithTokenInNameAndComment) {
  runner_.on_run("sbatch", "71\n");
  const auto id = scheduler_.submit(spec_);
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_EQ(*id, "71");
  EXPECT_EQ(line(0),
            "sbatch --parsable --nodes=2 --job-name=sglexp-run-1 --comment=run-1 /runs/1/job.sh");
  EXPECT_EQ(runner_.commands()[0].timeout, Seconds(30));
}

TEST_F(SlurmSchedulerTest, ReadsTheIdBehindBannersAndBeforeTheCluster) {
  runner_.on_run("sbatch", "Your project has 3 hours left.\n71;mini\n");
  const auto id = scheduler_.submit(spec_);
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_EQ(*id, "71");
}

TEST_F(SlurmSchedulerTest, LetsNoSettingOfTheShellThrough) {
  ::setenv("SBATCH_PARTITION", "debug", 1);
  ::setenv("SLURM_JOB_ID", "5", 1);
  ::setenv("HIP_VISIBLE_DEVICES", "9", 1);
  ::setenv("SLURM_CONF", "/etc/slurm/slurm.conf", 1);
  runner_.on_run("sbatch", "71\n");
  ASSERT_TRUE(scheduler_.submit(spec_).ok());
  const Command& command = runner_.commands()[0];
  EXPECT_TRUE(command.clear_env);
  EXPECT_EQ(value_of(command, "SBATCH_PARTITION"), nullptr);
  EXPECT_EQ(value_of(command, "SLURM_JOB_ID"), nullptr);
  EXPECT_EQ(value_of(command, "HIP_VISIBLE_DEVICES"), nullptr);
  ASSERT_NE(value_of(command, "SLURM_CONF"), nullptr);
  ASSERT_NE(value_of(command, "MOCK_STATE"), nullptr);
  ASSERT_NE(value_of(command, "PATH"), nullptr);
  EXPECT_TRUE(value_of(command, "PATH")->starts_with("/opt/mock:"));
  for (const char* name :
       {"SBATCH_PARTITION", "SLURM_JOB_ID", "HIP_VISIBLE_DEVICES", "SLURM_CONF"}) {
    ::unsetenv(name);
  }
}

TEST_F(SlurmSchedulerTest, SubmitWithoutAnswerIsNoFailure) {
  Completed hung;
  hung.timed_out = true;
  hung.status.signal = 9;
  runner_.on_run("sbatch", Result<Completed>(hung));
  runner_.on_run("sbatch", "");
  runner_.on_run("sbatch", recorded_answer("sbatch_controller_hung"));
  for (int i = 0; i < 3; ++i) {
    const auto id = scheduler_.submit(spec_);
    ASSERT_FALSE(id.ok());
    EXPECT_EQ(id.error().code, ErrorCode::kTimedOut) << id.error().message;
  }
}

TEST_F(SlurmSchedulerTest, NeverTakesAnIdFromAFailedSubmit) {
  runner_.on_run("sbatch", "71\n", 1,
                 "sbatch: error: Batch job submission failed: Invalid qos specification\n");
  const auto id = scheduler_.submit(spec_);
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kInvalidInput);
}

TEST_F(SlurmSchedulerTest, RefusesWhatItCouldNotFollow) {
  JobSpec other = spec_;
  other.args = {"--clusters=mini"};
  EXPECT_FALSE(scheduler_.submit(other).ok());
  other.args = {"-Mmini"};
  EXPECT_FALSE(scheduler_.submit(other).ok());
  other = spec_;
  other.script_path = "job.sh";
  EXPECT_FALSE(scheduler_.submit(other).ok());
}

TEST_F(SlurmSchedulerTest, MissingProgramSaysWhatToDo) {
  runner_.on_run("sbatch", Result<Completed>(Error{ErrorCode::kNotFound, "no such program"}));
  const auto id = scheduler_.submit(spec_);
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kNotFound);
  EXPECT_NE(id.error().message.find("module"), std::string::npos);
}

TEST_F(SlurmSchedulerTest, PollsAllJobsWithOneQuery) {
  runner_.on_run("squeue",
                 "7|RUNNING|n[1-2]|None\n8|PENDING||Priority, or so\n9|COMPLETING|n3|None\n");
  const std::vector<std::string> ids = {"9", "7", "8"};
  const auto states = scheduler_.poll(ids);
  ASSERT_TRUE(states.ok());
  EXPECT_EQ(line(0), "squeue --noheader --states=all --jobs=9,7,8 --format=%i|%T|%N|%r");
  ASSERT_EQ(runner_.commands().size(), 1U);
  EXPECT_EQ((*states)[0].phase, JobPhase::kCompleting);
  EXPECT_EQ((*states)[1].phase, JobPhase::kRunning);
  EXPECT_EQ((*states)[1].nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ((*states)[1].exit_code, -1);
  EXPECT_EQ((*states)[2].reason, "Priority, or so");
}

TEST_F(SlurmSchedulerTest, AsksHowAnEndedJobEnded) {
  runner_.on_run("squeue", "7|FAILED|mi210-01|NonZeroExitCode\n");
  runner_.on_run("scontrol --details show job 7", recorded_answer("job_failed"));
  const JobState state = poll_one("7");
  EXPECT_EQ(state.phase, JobPhase::kEnded);
  EXPECT_EQ(state.exit_code, 3);
  EXPECT_EQ(state.reason, "NonZeroExitCode");
  EXPECT_EQ(state.source, "scontrol");
}

TEST_F(SlurmSchedulerTest, AJobRequeuedInBetweenHasNotEnded) {
  runner_.on_run("squeue", "12|NODE_FAIL|mi210-01|None\n");
  runner_.on_run("scontrol --details show job 12", recorded_answer("job_requeued"));
  const JobState state = poll_one("12");
  EXPECT_EQ(state.phase, JobPhase::kPending);
  EXPECT_EQ(state.restarts, 1);
  EXPECT_EQ(state.exit_code, -1);
}

TEST_F(SlurmSchedulerTest, AnEndedJobStaysEndedIfScontrolFails) {
  runner_.on_run("squeue", "7|COMPLETED|n1|None\n");
  runner_.on_run("scontrol", recorded_answer("squeue_controller_down"));
  const JobState state = poll_one("7");
  EXPECT_EQ(state.phase, JobPhase::kEnded);
  EXPECT_EQ(state.exit_code, -1);
}

TEST_F(SlurmSchedulerTest, HistoryEndsAForgottenJob) {
  runner_.on_run("squeue", recorded_answer("squeue_forgotten"));
  runner_.on_run("sacct", "9|TIMEOUT|0:15|n[1-2]\n");
  const JobState state = poll_one("9");
  EXPECT_EQ(line(1),
            "sacct --noheader --parsable2 --allocations --jobs=9 "
            "--format=JobIDRaw,State,ExitCode,NodeList");
  EXPECT_EQ(state.phase, JobPhase::kEnded);
  EXPECT_EQ(state.word, "TIMEOUT");
  EXPECT_EQ(state.exit_signal, 15);
  EXPECT_EQ(state.nodes.size(), 2U);
}

// rc 0 with nothing is what squeue says of several unknown ids, and sacct of any.
TEST_F(SlurmSchedulerTest, SilenceNeverEndsAJob) {
  runner_.on_run("squeue", recorded_answer("squeue_all_unknown"));
  runner_.on_run("sacct", recorded_answer("sacct_unknown"));
  const std::vector<std::string> ids = {"998", "999"};
  const auto states = scheduler_.poll(ids);
  ASSERT_TRUE(states.ok());
  EXPECT_EQ((*states)[0].phase, JobPhase::kUnknown);
  EXPECT_EQ((*states)[1].phase, JobPhase::kUnknown);
}

TEST_F(SlurmSchedulerTest, AccountingIsNotBelievedAboutARunningJob) {
  runner_.on_run("squeue", recorded_answer("squeue_one_unknown"));
  runner_.on_run("sacct", "9|RUNNING|0:0|n1\n");
  const JobState state = poll_one("9");
  EXPECT_EQ(state.phase, JobPhase::kUnknown);
  EXPECT_NE(state.reason.find("RUNNING"), std::string::npos);
}

TEST_F(SlurmSchedulerTest, AsksAccountingSeldom) {
  for (int i = 0; i < 3; ++i) {
    runner_.on_run("squeue", "");
  }
  runner_.on_run("sacct", recorded_answer("sacct_database_down"));
  runner_.on_run("sacct", "9|COMPLETED|0:0|n1\n");
  EXPECT_NE(poll_one("9").reason.find("Problem talking to the database"), std::string::npos);
  EXPECT_EQ(poll_one("9").phase, JobPhase::kUnknown);
  clock_.advance(Seconds(5));
  EXPECT_EQ(poll_one("9").phase, JobPhase::kEnded);
}

TEST_F(SlurmSchedulerTest, AnUnreachableControllerIsNoAnswer) {
  runner_.on_run("squeue", recorded_answer("squeue_controller_down"));
  runner_.on_run("squeue", recorded_answer("squeue_controller_hung"));
  Completed hung;
  hung.timed_out = true;
  hung.out = "9|COMPLETED|n1|None\n";
  runner_.on_run("squeue", Result<Completed>(hung));
  const std::vector<std::string> ids = {"9"};
  for (int i = 0; i < 3; ++i) {
    const auto states = scheduler_.poll(ids);
    ASSERT_FALSE(states.ok());
    EXPECT_EQ(states.error().code, ErrorCode::kUnavailable);
  }
}

TEST_F(SlurmSchedulerTest, StderrIsNeverData) {
  runner_.on_run("squeue", "", 0, "9|COMPLETED|n1|None\n");
  runner_.on_run("sacct", "", 0, "9|COMPLETED|0:0|n1\n");
  EXPECT_EQ(poll_one("9").phase, JobPhase::kUnknown);
}

TEST_F(SlurmSchedulerTest, IdsCannotBecomeOptions) {
  const std::vector<std::string> ids = {"7", "--me"};
  EXPECT_EQ(scheduler_.poll(ids).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(scheduler_.cancel("--user=root").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(scheduler_.allocation("").error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(scheduler_.poll({})->empty());
}

TEST_F(SlurmSchedulerTest, FindsJobsInBothMemories) {
  runner_.on_run("squeue --noheader --states=all --user=alice", recorded_answer("squeue_find"));
  runner_.on_run("sacct", "4|sglexp-token1|\n3|old-token1|\n");
  const auto ids = scheduler_.find("token1");
  ASSERT_TRUE(ids.ok());
  EXPECT_EQ(*ids, (std::vector<std::string>{"4", "3"}));
}

TEST_F(SlurmSchedulerTest, FindsWithoutAccounting) {
  runner_.on_run("squeue", recorded_answer("squeue_find"));
  runner_.on_run("sacct", "", 1, "Slurm accounting storage is disabled\n");
  EXPECT_EQ(scheduler_.find("token2")->size(), 1U);
}

// "Not found" allows a second submit: it must not come from a controller that did not answer.
TEST_F(SlurmSchedulerTest, FindWithoutTheControllerIsNoEmptyAnswer) {
  runner_.on_run("squeue", recorded_answer("squeue_controller_down"));
  runner_.on_run("sacct", "");
  const auto ids = scheduler_.find("token1");
  ASSERT_FALSE(ids.ok());
  EXPECT_EQ(ids.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(scheduler_.find("").ok());
}

TEST_F(SlurmSchedulerTest, CancelReportsWhatItKnows) {
  runner_.on_run("scancel 7", "");
  runner_.on_run("scancel 7", recorded_answer("scancel_unknown"));
  runner_.on_run("scancel 7", recorded_answer("scancel_controller_down"));
  runner_.on_run("scancel 7", "", 1,
                 "scancel: error: Kill job error on job id 7: Access/permission denied\n");
  EXPECT_TRUE(scheduler_.cancel("7").ok());
  EXPECT_TRUE(scheduler_.cancel("7").ok());
  EXPECT_EQ(scheduler_.cancel("7").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(scheduler_.cancel("7").error().code, ErrorCode::kInvalidInput);
}

TEST_F(SlurmSchedulerTest, AllocationNamesGpusAndAddressesPerNode) {
  runner_.on_run("scontrol --details show job 4", recorded_answer("job_gpus_differ"));
  runner_.on_run("scontrol show node mi210-[01-02]", recorded_answer("nodes"));
  const auto nodes = scheduler_.allocation("4");
  ASSERT_TRUE(nodes.ok()) << nodes.error().message;
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(format_ranges((*nodes)[0].gpus), "4-7");
  EXPECT_EQ(format_ranges((*nodes)[1].gpus), "0-3");
  EXPECT_TRUE((*nodes)[1].address.ends_with(".12"));
}

TEST_F(SlurmSchedulerTest, AllocationIsForRunningJobs) {
  runner_.on_run("scontrol", recorded_answer("job_pending"));
  runner_.on_run("scontrol", recorded_answer("job_cancelled"));
  runner_.on_run("scontrol", recorded_answer("job_forgotten"));
  EXPECT_EQ(scheduler_.allocation("6").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(scheduler_.allocation("4").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(scheduler_.allocation("9").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sglexp
