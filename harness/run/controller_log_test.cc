// SPDX-License-Identifier: Apache-2.0
#include "harness/run/controller_log.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/fake_clock.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

class ControllerLogOf : public ::testing::Test {
 protected:
  std::unique_ptr<ControllerLog> open() {
    auto log = ControllerLog::open(dir_, clock_);
    EXPECT_TRUE(log.ok()) << log.error().message;
    return log.ok() ? *std::move(log) : nullptr;
  }
  void write_raw(const std::string& text) {
    std::ofstream(dir_.file("controller.jsonl"), std::ios::app) << text;
  }

  TempDir root_;
  RunDir dir_{root_.path()};
  FakeClock clock_;
};

TEST_F(ControllerLogOf, ANewRunKnowsOfNoJob) {
  const auto log = open();
  EXPECT_FALSE(log->job("shared").submitting);
  EXPECT_EQ(log->job("shared").id, "");
  EXPECT_FALSE(log->job("shared").outcome);
  EXPECT_FALSE(log->run_finished());
}

TEST_F(ControllerLogOf, ACrashWhileSubmittingIsRemembered) {
  ASSERT_TRUE(open()->submitting("shared").ok());
  const JobProgress job = open()->job("shared");
  EXPECT_TRUE(job.submitting);
  EXPECT_EQ(job.id, "");
}

TEST_F(ControllerLogOf, GoesOnWhereItStopped) {
  {
    const auto log = open();
    ASSERT_TRUE(log->submitting("a").ok());
    ASSERT_TRUE(log->submitted("a", "101").ok());
    const Failure failure{.outcome = Outcome::kStartup, .what = "w1 died", .node = "mi210-02"};
    ASSERT_TRUE(log->job_ended("a", {.id = "101", .outcome = Outcome::kStartup, .failure = failure},
                               "FAILED")
                    .ok());
    ASSERT_TRUE(log->submitting("b").ok());
    ASSERT_TRUE(log->submitted("b", "102").ok());
  }
  const auto log = open();
  EXPECT_EQ(log->job("a").id, "101");
  EXPECT_EQ(log->job("a").outcome, Outcome::kStartup);
  ASSERT_TRUE(log->job("a").failure);
  EXPECT_EQ(log->job("a").failure->node, "mi210-02");
  EXPECT_EQ(log->job("b").id, "102");
  EXPECT_FALSE(log->job("b").submitting);
  EXPECT_FALSE(log->job("b").outcome);
  ASSERT_TRUE(log->finish_run(Outcome::kStartup).ok());
  EXPECT_TRUE(log->run_finished());
  const auto jobs = ControllerLog::read(dir_);
  ASSERT_TRUE(jobs.ok());
  EXPECT_EQ(jobs->size(), 2U);
}

TEST_F(ControllerLogOf, OnlyOneFollowsARun) {
  auto first = open();
  const auto second = ControllerLog::open(dir_, clock_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("another sglexp follows this run"));
  EXPECT_TRUE(ControllerLog::read(dir_).ok());  // but anybody may look
  first.reset();
  EXPECT_TRUE(ControllerLog::open(dir_, clock_).ok());
}

TEST_F(ControllerLogOf, ATornLastLineIsNoLine) {
  ASSERT_TRUE(open()->submitting("shared").ok());
  write_raw(R"({"seq": 1, "utc": "x", "type": "submi)");
  EXPECT_TRUE(open()->job("shared").submitting);
  ASSERT_TRUE(open()->submitted("shared", "101").ok());
  EXPECT_EQ(open()->job("shared").id, "101");
}

TEST_F(ControllerLogOf, MembersOfAWrongTypeAreAnErrorNotACrash) {
  write_raw(R"({"seq": 0, "utc": "x", "type": "submitted", "job": "shared", "id": 101})"
            "\n");
  const auto log = ControllerLog::open(dir_, clock_);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(log.error().message, HasSubstr("submitted"));
  EXPECT_FALSE(ControllerLog::read(dir_).ok());
}

TEST_F(ControllerLogOf, ADirectoryThatIsGoneIsAnError) {
  const auto log = ControllerLog::open(RunDir(root_.path() + "/none"), clock_);
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error().message, HasSubstr("none/controller.lock"));
}

}  // namespace
}  // namespace sglexp
