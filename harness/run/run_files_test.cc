// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class RunOnDisk : public ::testing::Test {
 protected:
  void edit(const std::string& file, const std::string& from, const std::string& to) {
    auto text = read_file(run_.dir.file(file));
    ASSERT_TRUE(text.ok()) << text.error().message;
    const std::size_t at = text->find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in " << file;
    ASSERT_TRUE(write_file_atomic(run_.dir.file(file), text->replace(at, from.size(), to)).ok());
  }

  TempDir root_;
  RunInputs inputs_ = [] {
    RunInputs inputs = sample_inputs({"repeats.blocks=3"});
    inputs.overrides.profile = {"account=physics"};
    return inputs;
  }();
  RunFiles run_ = sample_run(root_.path(), inputs_);
};

TEST_F(RunOnDisk, HasAnIdentityInItsPath) {
  EXPECT_THAT(run_.dir.root(),
              MatchesRegex(root_.path() + "/20261130T211432-numa_compare-[0-9a-f]{12}"));
  EXPECT_EQ(run_.token.size(), 12U);
  EXPECT_EQ(run_.uuid.substr(0, 8), run_.token.substr(0, 8));
  for (const char* file : {"run.json", "scenario.yaml", "profile.yaml", "plan.json"}) {
    EXPECT_TRUE(path_exists(run_.dir.file(file))) << file;
  }
}

TEST_F(RunOnDisk, ComesBackWhole) {
  const auto back = load_run(run_.dir.root());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->uuid, run_.uuid);
  EXPECT_EQ(back->token, run_.token);
  EXPECT_EQ(back->created_utc, run_.created_utc);
  EXPECT_EQ(back->database, run_.database);
  EXPECT_EQ(back->overrides.scenario, run_.overrides.scenario);
  EXPECT_EQ(back->profile.account, "physics");
  EXPECT_EQ(back->scenario.repeats.blocks, 3);
  EXPECT_EQ(back->plan.digest, run_.plan.digest);
  EXPECT_EQ(back->dir.root(), run_.dir.root());
}

TEST_F(RunOnDisk, TwoRunsShareNothing) {
  const RunFiles other = sample_run(root_.path(), inputs_);
  EXPECT_NE(other.uuid, run_.uuid);
  EXPECT_NE(other.token, run_.token);
  EXPECT_NE(other.dir.root(), run_.dir.root());
}

TEST_F(RunOnDisk, AnEditedScenarioIsRefused) {
  edit("scenario.yaml", "tp: 4", "tp: 2");
  const auto back = load_run(run_.dir.root());
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(back.error().message, AllOf(HasSubstr("expands differently"),
                                          HasSubstr(run_.dir.root()), HasSubstr(kToolVersion)));
}

TEST_F(RunOnDisk, AnEditedProfileIsRefused) {
  edit("profile.yaml", "partition: mi210", "partition: debug");
  EXPECT_FALSE(load_run(run_.dir.root()).ok());
}

TEST_F(RunOnDisk, AnEditedOverrideIsRefused) {
  edit("run.json", "repeats.blocks=3", "repeats.blocks=4");
  EXPECT_FALSE(load_run(run_.dir.root()).ok());
}

TEST_F(RunOnDisk, ACommentChangesNothing) {
  edit("scenario.yaml", "tp: 4", "tp: 4  # four");
  EXPECT_TRUE(load_run(run_.dir.root()).ok());
}

TEST_F(RunOnDisk, AnIdentityOfAnotherKindIsRefused) {
  edit("run.json", "sglexp-run-dir/1", "sglexp-run-dir/2");
  EXPECT_THAT(load_run(run_.dir.root()).error().message, HasSubstr("sglexp-run-dir/1"));
  ASSERT_TRUE(write_file_atomic(run_.dir.file("run.json"), R"({"schema": 7})").ok());
  EXPECT_FALSE(load_run(run_.dir.root()).ok());
  ASSERT_TRUE(write_file_atomic(run_.dir.file("run.json"), "[").ok());
  EXPECT_THAT(load_run(run_.dir.root()).error().message, HasSubstr("run.json"));
}

TEST_F(RunOnDisk, ADirectoryWithoutIdentityIsNoRun) {
  const auto none = load_run(root_.path());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST(RunInputs, AreCheckedBeforeAnythingIsWritten) {
  const TempDir root;
  const RunInputs inputs = sample_inputs({"allocation.node_type=mi300"});
  const auto run = load_inputs(inputs);
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().message, HasSubstr("mi300"));
}

TEST(RunDirPaths, LieBelowTheRun) {
  const RunDir dir("/runs/r");
  EXPECT_EQ(dir.job_journal("shared"), "/runs/r/jobs/shared/journal.jsonl");
  EXPECT_EQ(dir.batch_log("shared"), "/runs/r/jobs/shared/batch.log");
  const TrialKey key{.arm = "a", .block = 3, .slot = 7, .load_point = "c16"};
  EXPECT_EQ(dir.trial_file(key), "/runs/r/trials/" + key.text() + ".json");
  EXPECT_EQ(dir.relative(dir.requests_file(key)), "trials/" + key.text() + ".requests.jsonl");
  EXPECT_EQ(dir.relative("/runs/r2/x"), "/runs/r2/x");
}

TEST(RunDirPaths, SlotsAreNamedByPositionAndArm) {
  Scenario scenario;
  scenario.arms = {{.name = "same_numa"}, {.name = "cross_numa"}};
  EXPECT_EQ(RunDir("/r").slot_dir({.index = 3, .arm = 1}, scenario), "/r/slots/s03-cross_numa");
}

}  // namespace
}  // namespace sglexp
