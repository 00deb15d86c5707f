// SPDX-License-Identifier: Apache-2.0
#include "harness/run/conclude.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/run/run_info_builder.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kEnded = "2026-11-30T23:00:00.000Z";

class Conclude : public ::testing::Test {
 protected:
  void begin(const RunInputs& inputs) {
    run_ = sample_run(root_.path(), inputs);
    ASSERT_TRUE(store_.begin_run(make_run_info(run_)).ok());
  }
  // Every planned trial; the second arm at this speed of the first.
  void measure_all(double second_arm,
                   const std::vector<std::string>& its_nodes = {"mi210-01", "mi210-02"}) {
    for (const SlotPlan& slot : run_.plan.slots) {
      for (const TrialPlan& trial : slot.trials) {
        const double noise = 0.1 * slot.block;
        const TrialRecord record =
            slot.arm == 0 ? sample_trial(run_, slot, trial, 1000 + noise)
                          : sample_trial(run_, slot, trial, (1000 + noise) * second_arm, its_nodes);
        ASSERT_TRUE(store_.ingest_trial(run_.uuid, record, {}).ok());
      }
    }
  }
  Outcome conclude(const JobsEnd& jobs = {}) {
    const auto outcome = conclude_run(run_, jobs, {}, kEnded, store_);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? *outcome : Outcome::kInternal;
  }
  RunInfo info() { return store_.load_run(run_.uuid).value(); }
  Comparison comparison() {
    const auto stored = store_.load_comparisons(run_.uuid);
    EXPECT_TRUE(stored.ok() && !stored->empty());
    return stored->at(0).comparison;
  }

  TempDir root_;
  Store store_ = std::move(Store::open("", OpenMode::kMemory)).value();
  RunFiles run_;
};

TEST_F(Conclude, ACompleteRecordPasses) {
  begin(sample_inputs());
  measure_all(1.0);
  EXPECT_EQ(conclude(), Outcome::kPassed);
  EXPECT_EQ(info().status, "complete");
  EXPECT_EQ(info().outcome, Outcome::kPassed);
  EXPECT_EQ(info().ended_utc, kEnded);
  EXPECT_FALSE(info().failure);
}

TEST_F(Conclude, WritesBothReports) {
  begin(sample_inputs());
  measure_all(1.0);
  conclude();
  const auto markdown = read_file(run_.dir.file("report.md"));
  ASSERT_TRUE(markdown.ok()) << markdown.error().message;
  EXPECT_THAT(*markdown, HasSubstr(run_.uuid));
  const auto text = read_file(run_.dir.file("report.json"));
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(json::parse(*text)["outcome"], "passed");
}

TEST_F(Conclude, OneMissingTrialMakesTheRunInvalid) {
  begin(sample_inputs({"repeats.blocks=2"}));
  bool first = true;
  for (const SlotPlan& slot : run_.plan.slots) {
    for (const TrialPlan& trial : slot.trials) {
      if (!std::exchange(first, false)) {
        ASSERT_TRUE(store_.ingest_trial(run_.uuid, sample_trial(run_, slot, trial, 1), {}).ok());
      }
    }
  }
  EXPECT_EQ(conclude(), Outcome::kInvalid);
  EXPECT_EQ(info().status, "partial");
  ASSERT_TRUE(info().failure);
  EXPECT_THAT(info().failure->what, HasSubstr("11 good trials of 12 planned"));
}

TEST_F(Conclude, ATrialThatFailedIsNotAGoodOne) {
  begin(sample_inputs({"repeats.blocks=1"}));
  measure_all(1.0);
  TrialRecord failed = sample_trial(run_, run_.plan.slots[0], run_.plan.slots[0].trials[0], 1000);
  failed.status = TrialStatus::kTestFailed;
  failed.outcome = Outcome::kLoadFailed;
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, failed, {}).ok());
  EXPECT_EQ(conclude(), Outcome::kInvalid);
}

TEST_F(Conclude, WhatTheJobsSayComesFirst) {
  begin(sample_inputs());
  const Failure failure{.outcome = Outcome::kStartup, .what = "w1 died"};
  EXPECT_EQ(conclude({.outcome = Outcome::kStartup, .failure = failure}), Outcome::kStartup);
  EXPECT_EQ(info().status, "aborted");  // nothing was measured
  EXPECT_EQ(info().failure->what, "w1 died");
}

TEST_F(Conclude, ACancelledRunIsAbortedEvenWithTrials) {
  begin(sample_inputs());
  measure_all(1.0);
  EXPECT_EQ(conclude({.outcome = Outcome::kCancelled,
                      .failure = Failure{.outcome = Outcome::kCancelled, .what = "Ctrl-C"}}),
            Outcome::kCancelled);
  EXPECT_EQ(info().status, "aborted");
}

TEST_F(Conclude, AWorseArmIsAFindingUnlessTheGateFailsTheRun) {
  begin(sample_inputs());
  measure_all(0.8);
  EXPECT_EQ(conclude(), Outcome::kPassed);
  EXPECT_EQ(comparison().metrics.at(0).verdict, Verdict::kWorse);
}

RunInputs with_failing_gate(const TempDir& root) {
  RunInputs inputs = sample_inputs();
  auto text = read_file(inputs.scenario_path);
  EXPECT_TRUE(text.ok());
  const std::size_t at = text->find("fails_run: false");
  EXPECT_NE(at, std::string::npos);
  inputs.scenario_path = root.path() + "/gate.yaml";
  EXPECT_TRUE(
      write_file_atomic(inputs.scenario_path, text->replace(at, 16, "fails_run: true")).ok());
  return inputs;
}

TEST_F(Conclude, AWorseArmWithAFailingGateIsARegression) {
  begin(with_failing_gate(root_));
  measure_all(0.8);
  EXPECT_EQ(conclude(), Outcome::kRegressed);
  EXPECT_EQ(info().status, "complete");
  EXPECT_FALSE(info().failure);
}

TEST_F(Conclude, AGateThatNobodyMeasuredIsInfrastructure) {
  begin(with_failing_gate(root_));
  for (const SlotPlan& slot : run_.plan.slots) {
    for (const TrialPlan& trial : slot.trials) {
      TrialRecord record = sample_trial(run_, slot, trial, 1);
      record.metrics.clear();
      ASSERT_TRUE(store_.ingest_trial(run_.uuid, record, {}).ok());
    }
  }
  EXPECT_EQ(conclude(), Outcome::kInfrastructure);
  EXPECT_THAT(info().failure->what, HasSubstr("gate could not be evaluated"));
}

TEST_F(Conclude, AGateThatFailsTheRunNeedsASecondArm) {
  begin(with_failing_gate(root_));
  run_.scenario.arms.resize(1);  // reading the scenario should refuse it: this is the second line
  measure_all(1.0);
  EXPECT_EQ(conclude(), Outcome::kInfrastructure);
  EXPECT_THAT(info().failure->what, HasSubstr("gate could not be evaluated"));
}

TEST_F(Conclude, ArmsOnDifferentNodesAreNoPairs) {
  begin(sample_inputs());
  measure_all(1.0, {"mi210-03", "mi210-04"});
  conclude();
  EXPECT_FALSE(comparison().paired);
  EXPECT_EQ(comparison().metrics.at(0).confounded_with, "nodes");
}

TEST_F(Conclude, ArmsOnTheSameNodesInAnotherOrderArePairs) {
  begin(sample_inputs());
  measure_all(1.0, {"mi210-02", "mi210-01"});
  conclude();
  EXPECT_TRUE(comparison().paired);
  EXPECT_EQ(comparison().metrics.at(0).confounded_with, "");
}

TEST_F(Conclude, ChecksAloneNeedNoTrial) {
  begin(sample_inputs({}, "mi210_example", "env_smoke"));
  const std::vector<CheckResult> checks = {{.id = "gpu_set", .verdict = CheckVerdict::kPass}};
  ASSERT_TRUE(store_.put_checks(run_.uuid, "101", checks).ok());
  EXPECT_EQ(conclude(), Outcome::kPassed);
  EXPECT_EQ(info().status, "complete");
}

TEST_F(Conclude, WithoutTrialsAndChecksNothingWasMeasured) {
  begin(sample_inputs({}, "mi210_example", "env_smoke"));
  EXPECT_EQ(conclude(), Outcome::kInfrastructure);
  EXPECT_THAT(info().failure->what, HasSubstr("nothing was measured"));
}

TEST_F(Conclude, AgainChangesNothing) {
  begin(sample_inputs());
  measure_all(0.9);
  conclude();
  const auto before = store_.load_comparisons(run_.uuid);
  conclude();
  EXPECT_EQ(store_.load_comparisons(run_.uuid)->size(), before->size());
  const auto report = load_run_report(run_.uuid, {}, store_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->exit, ExitCode::kOk);
  EXPECT_EQ(report->report_file, run_.dir.file("report.md"));
}

}  // namespace
}  // namespace sglexp
