// SPDX-License-Identifier: Apache-2.0
// SlurmScheduler against a real Slurm, started for this test by fixtures/slurm_cluster and removed
// after it. Exits 77 (skipped) where that cannot run: not root, or packages missing.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "harness/slurm/slurm_scheduler.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

constexpr int kCannotRunHere = 3;  // exit code of fixtures/slurm_cluster/up
constexpr int kSkipped = 77;

std::string fixture(const std::string& name) {
  return std::string(SGLEXP_SOURCE_DIR) + "/fixtures/slurm_cluster/" + name;
}

class RealSlurm : public testing::Test {
 protected:
  std::string script(const std::string& body) {
    const std::string path = dir_.path() + "/job" + std::to_string(scripts_++) + ".sh";
    EXPECT_TRUE(write_file_atomic(path, "#!/bin/bash\n" + body + "\n").ok());
    return path;
  }
  JobSpec spec(const std::string& token, std::vector<std::string> args, const std::string& body) {
    args.push_back("--output=" + dir_.path() + "/" + token + ".out");
    return {"sglexp-" + token, token, script(body), std::move(args)};
  }
  std::string submit(const JobSpec& job) {
    const auto id = scheduler_.submit(job);
    EXPECT_TRUE(id.ok()) << id.error().message;
    return id.ok() ? *id : "0";
  }
  JobState poll(const std::string& id) {
    const std::vector<std::string> ids = {id};
    const auto states = scheduler_.poll(ids);
    return states.ok() ? states->at(0) : JobState{};
  }
  JobState wait_for(const std::string& id, JobPhase phase) {
    const TimePoint deadline = clock_.now() + Seconds(60);
    JobState state = poll(id);
    while (state.phase != phase && clock_.now() < deadline) {
      clock_.sleep_for(Millis(200));
      state = poll(id);
    }
    EXPECT_EQ(state.phase, phase) << "job " << id << " is " << state.word << ": " << state.reason;
    return state;
  }

  TempDir dir_;
  int scripts_ = 0;
  SystemProcessRunner runner_;
  SystemClock clock_;
  SlurmScheduler scheduler_{runner_, clock_, {}};
};

TEST_F(RealSlurm, AllocationTellsWhichGpusEachNodeGave) {
  const std::string hog =
      submit(spec("hog", {"--nodelist=mi210-01", "--gres=gpu:mi210:2"}, "sleep 600"));
  wait_for(hog, JobPhase::kRunning);
  const std::string job = submit(spec(
      "run-1", {"--nodes=2", "--ntasks-per-node=1", "-c32", "--gres=gpu:mi210:4"}, "sleep 600"));
  const JobState running = wait_for(job, JobPhase::kRunning);
  EXPECT_EQ(running.nodes, (std::vector<std::string>{"mi210-01", "mi210-02"}));

  const auto nodes = scheduler_.allocation(job);
  ASSERT_TRUE(nodes.ok()) << nodes.error().message;
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(format_ranges((*nodes)[0].gpus), "4-7");
  EXPECT_EQ(format_ranges((*nodes)[0].cpus), "64-95");
  EXPECT_EQ(format_ranges((*nodes)[1].gpus), "0-3");
  EXPECT_TRUE((*nodes)[0].address.starts_with("10."));
  EXPECT_NE((*nodes)[0].address, (*nodes)[1].address);
  EXPECT_EQ(*scheduler_.find("run-1"), std::vector<std::string>{job});

  EXPECT_TRUE(scheduler_.cancel(job).ok());
  EXPECT_TRUE(scheduler_.cancel(hog).ok());
  EXPECT_EQ(wait_for(job, JobPhase::kEnded).word, "CANCELLED");
  EXPECT_EQ(scheduler_.allocation(job).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*scheduler_.find("run-1"), std::vector<std::string>{job});
  wait_for(hog, JobPhase::kEnded);
}

TEST_F(RealSlurm, ExitCodesAreTheScripts) {
  const JobState failed = wait_for(submit(spec("fails", {}, "exit 3")), JobPhase::kEnded);
  EXPECT_EQ(failed.word, "FAILED");
  EXPECT_EQ(failed.exit_code, 3);
  const JobState good = wait_for(submit(spec("works", {}, "true")), JobPhase::kEnded);
  EXPECT_EQ(good.word, "COMPLETED");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(poll("99999").phase, JobPhase::kUnknown);
}

TEST_F(RealSlurm, TheSubmitShellDoesNotLeakIntoJobs) {
  ::setenv("HIP_VISIBLE_DEVICES", "9", 1);
  ::setenv("SBATCH_PARTITION", "nope", 1);
  wait_for(submit(spec("env", {}, "env")), JobPhase::kEnded);
  ::unsetenv("HIP_VISIBLE_DEVICES");
  ::unsetenv("SBATCH_PARTITION");
  const auto env = read_file(dir_.path() + "/env.out");
  ASSERT_TRUE(env.ok()) << env.error().message;
  EXPECT_NE(env->find("SLURM_JOB_ID="), std::string::npos);
  EXPECT_EQ(env->find("HIP_VISIBLE_DEVICES"), std::string::npos);
  EXPECT_EQ(env->find("SLURM_GET_USER_ENV"), std::string::npos);
}

TEST_F(RealSlurm, RefusalsKeepSlurmsWords) {
  const auto id = scheduler_.submit(spec("bad", {"--partition=nope"}, "true"));
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(id.error().message.find("nope"), std::string::npos) << id.error().message;
}

// The controller stops answering with the request already in its socket: sbatch fails, and the job
// is queued all the same. A caller that submitted again would run it twice.
TEST_F(RealSlurm, AJobWhoseSubmitTimedOutIsFound) {
  const auto pid_file =
      read_file(std::string(std::getenv("SGLEXP_SLURM_STATE")) + "/pids/slurmctld");
  ASSERT_TRUE(pid_file.ok());
  const pid_t controller = std::atoi(pid_file->c_str());
  ASSERT_GT(controller, 1);
  const JobSpec job = spec("lost-1", {}, "true");
  ASSERT_EQ(::kill(controller, SIGSTOP), 0);
  const auto id = scheduler_.submit(job);
  ASSERT_EQ(::kill(controller, SIGCONT), 0);
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kTimedOut) << id.error().message;
  const TimePoint deadline = clock_.now() + Seconds(30);
  auto found = scheduler_.find("lost-1");
  while ((!found.ok() || found->empty()) && clock_.now() < deadline) {
    clock_.sleep_for(Millis(500));
    found = scheduler_.find("lost-1");
  }
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  wait_for(found->front(), JobPhase::kEnded);
}

// Runs one of the fixture's programs on `state`; its output goes to this test's.
int run_fixture(std::vector<std::string> argv) {
  SystemProcessRunner runner;
  Command command;
  command.argv = std::move(argv);
  command.timeout = Seconds(120);
  const auto done = runner.run(command);
  if (!done.ok()) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  std::fputs(done->err.c_str(), stderr);
  return done->status.code;
}

}  // namespace
}  // namespace sglexp

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const sglexp::TempDir dir;
  const std::string state = dir.path() + "/slurm";
  const int started = sglexp::run_fixture({sglexp::fixture("up"), "2", state});
  if (started != 0) {
    return started == sglexp::kCannotRunHere ? sglexp::kSkipped : 1;
  }
  ::setenv("SLURM_CONF", (state + "/etc/slurm.conf").c_str(), 1);
  ::setenv("SGLEXP_SLURM_STATE", state.c_str(), 1);
  const int failed = RUN_ALL_TESTS();
  const int removed = sglexp::run_fixture({sglexp::fixture("down"), state});
  return failed != 0 ? failed : removed;
}
