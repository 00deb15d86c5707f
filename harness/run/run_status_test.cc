// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/fakes/fake_clock.h"
#include "harness/fakes/fake_scheduler.h"
#include "harness/run/controller_log.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::EndsWith;

class StatusOfARun : public ::testing::Test {
 protected:
  RunStatus status() {
    const auto read = read_run_status(run_, {.uuid = "u-1",
                                             .scenario = "numa_compare",
                                             .cluster = "mi210_example",
                                             .run_dir = "/runs/r"});
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read.ok() ? *read : RunStatus{};
  }
  std::unique_ptr<ControllerLog> log() { return *ControllerLog::open(run_.dir, clock_); }

  TempDir root_;
  FakeClock clock_;
  RunFiles run_ = sample_run(root_.path(), sample_inputs({"repeats.blocks=2"}));
};

TEST_F(StatusOfARun, BeforeAnythingHappened) {
  EXPECT_EQ(run_status_text(status()),
            "run u-1  numa_compare on mi210_example  running\n"
            "trials 0 of 12\n"
            "job -          shared             not submitted\n"
            "files /runs/r\n");
}

TEST_F(StatusOfARun, WhileItRuns) {
  ASSERT_TRUE(log()->submitted("shared", "4711").ok());
  journal_line(run_, "shared", "job_started", R"({"job_id": "4711"})");
  journal_line(run_, "shared", "trial_finished", R"({"key": "k", "file": "f"})");
  journal_line(run_, "shared", "phase", R"({"phase": "load", "slot": 1})");
  EXPECT_EQ(run_status_text(status()),
            "run u-1  numa_compare on mi210_example  running\n"
            "trials 1 of 12\n"
            "job 4711       shared             queued or running, load (slot 2 of 4)\n"
            "files /runs/r\n");
}

TEST_F(StatusOfARun, AsJson) {
  ASSERT_TRUE(log()->submitted("shared", "4711").ok());
  ASSERT_TRUE(
      log()->job_ended("shared", {.id = "4711", .outcome = Outcome::kPassed}, "COMPLETED").ok());
  journal_line(run_, "shared", "job_finished", R"({"outcome": "passed"})");
  const json parsed = json::parse(run_status_json(status()));
  EXPECT_EQ(parsed["run"], "u-1");
  EXPECT_EQ(parsed["outcome"], nullptr);
  EXPECT_EQ(parsed["trials_planned"], 12);
  EXPECT_EQ(parsed["jobs"][0]["id"], "4711");
  EXPECT_EQ(parsed["jobs"][0]["state"], "passed");
  EXPECT_EQ(parsed["jobs"][0]["phase"], "finished");
  EXPECT_THAT(parsed["jobs"][0]["last_utc"].get<std::string>(), EndsWith("Z"));
}

TEST_F(StatusOfARun, AJobThatIsNotKnownHasNoId) {
  EXPECT_EQ(json::parse(run_status_json(status()))["jobs"][0]["id"], nullptr);
}

TEST_F(StatusOfARun, AJournalWithStrangeMembersIsShownAsFarAsItGoes) {
  journal_line(run_, "shared", "phase", R"({"phase": 7, "slot": "one"})");
  EXPECT_EQ(status().jobs.at(0).slot, -1);
}

TEST_F(StatusOfARun, OnlyLiveJobsAreCancelled) {
  FakeScheduler scheduler;
  ASSERT_TRUE(log()->submitting("never").ok());
  ASSERT_TRUE(log()->submitted("ended", "101").ok());
  ASSERT_TRUE(log()->job_ended("ended", {.id = "101", .outcome = Outcome::kPassed}, "X").ok());
  ASSERT_TRUE(log()->submitted("live", "102").ok());
  const auto cancelled = cancel_jobs(run_, scheduler);
  ASSERT_TRUE(cancelled.ok());
  EXPECT_EQ(*cancelled, 1);
  EXPECT_THAT(scheduler.cancelled, ElementsAre("102"));
}

}  // namespace
}  // namespace sglexp
