// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/comparison.h"
#include "harness/record/journal.h"
#include "harness/record/json.h"
#include "harness/record/outcome.h"
#include "harness/record/request.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OutcomeTest, EveryNameReadsBack) {
  for (int i = 0; i <= static_cast<int>(Outcome::kInternal); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(parse_outcome(outcome_name(outcome)), outcome);
    EXPECT_FALSE(outcome_sentence(outcome).empty());
  }
  EXPECT_EQ(parse_outcome("fine"), std::nullopt);
}

TEST(OutcomeTest, ExitCodesFollowThePrecedence) {
  EXPECT_EQ(exit_code(Outcome::kPassed), ExitCode::kOk);
  EXPECT_EQ(exit_code(Outcome::kInconclusive), ExitCode::kOk);
  EXPECT_EQ(exit_code(Outcome::kInconclusive, {.fail_on_inconclusive = true}),
            ExitCode::kInconclusive);
  EXPECT_EQ(exit_code(Outcome::kEnvironment), ExitCode::kFunctional);
  EXPECT_EQ(exit_code(Outcome::kQueueTimeout), ExitCode::kInfrastructure);
  const std::vector<ExitCode> worst_first = {
      ExitCode::kInterrupted, ExitCode::kUsage,      ExitCode::kInfrastructure,
      ExitCode::kFunctional,  ExitCode::kRegression, ExitCode::kInconclusive,
      ExitCode::kOk};
  for (std::size_t i = 0; i < worst_first.size(); ++i) {
    for (std::size_t j = i; j < worst_first.size(); ++j) {
      EXPECT_EQ(worst(worst_first[i], worst_first[j]), worst_first[i]);
      EXPECT_EQ(worst(worst_first[j], worst_first[i]), worst_first[i]);
    }
  }
}

TEST(OutcomeTest, TheFirstOfEqualOutcomesStays) {
  EXPECT_EQ(worst(Outcome::kStartup, Outcome::kLoadFailed), Outcome::kStartup);
  EXPECT_EQ(worst(Outcome::kLoadFailed, Outcome::kInfrastructure), Outcome::kInfrastructure);
}

TEST(Names, ReadBack) {
  EXPECT_EQ(parse_check_verdict(check_verdict_name(CheckVerdict::kWarn)), CheckVerdict::kWarn);
  EXPECT_EQ(parse_request_status(request_status_name(RequestStatus::kInBandError)),
            RequestStatus::kInBandError);
  EXPECT_EQ(parse_direction("lower"), Direction::kLowerIsBetter);
  EXPECT_EQ(parse_trial_status("discarded"), TrialStatus::kDiscarded);
  EXPECT_EQ(parse_verdict(verdict_name(Verdict::kNoChange)), Verdict::kNoChange);
  EXPECT_EQ(parse_verdict("good"), std::nullopt);
}

TrialRecord sample_trial() {
  TrialRecord trial{
      .key = {.arm = "same_numa", .block = 3, .slot = 7, .load_point = "c16", .attempt = 0},
      .job_id = "12",
      .started_utc = "2026-11-30T21:14:32.123Z",
      .warmup_s = 0.25,
      .measured_s = 1.5,
      .status = TrialStatus::kTestFailed,
      .outcome = Outcome::kLoadFailed,
      .failure = Failure{.outcome = Outcome::kLoadFailed, .what = "bad \xff byte", .node = "n1"}};
  trial.metrics = {{.name = "output_tok_s",
                    .unit = "tok/s",
                    .direction = Direction::kHigherIsBetter,
                    .value = 812.25,
                    .n = 48},
                   {.name = "ttft_p99_ms",
                    .unit = "ms",
                    .direction = Direction::kLowerIsBetter,
                    .n = 48,
                    .reason = "n < 100"}};
  trial.histograms = {
      {.name = "itl", .codec = "x", .total = 2, .bytes = std::string("\x00\xff\x7f", 3)}};
  trial.placement = {{.role = "worker",
                      .name = "w0",
                      .rank = 1,
                      .node = "n1",
                      .gpu_index = 5,
                      .gpu_pci = "0000:88:00.0"}};
  return trial;
}

TEST(TrialJson, RoundTrips) {
  const TrialRecord trial = sample_trial();
  const auto back = parse_trial(trial_to_json(trial));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->key, trial.key);
  EXPECT_EQ(back->metrics[0].value, 812.25);
  EXPECT_EQ(back->metrics[1].value, std::nullopt);
  EXPECT_EQ(back->metrics[1].reason, "n < 100");
  EXPECT_EQ(back->histograms[0].bytes, trial.histograms[0].bytes);
  EXPECT_EQ(back->placement[0].gpu_pci, "0000:88:00.0");
  EXPECT_EQ(back->failure->node, "n1");
  EXPECT_EQ(back->outcome, Outcome::kLoadFailed);
}

TEST(TrialJson, SaysWhatIsWrong) {
  EXPECT_THAT(parse_trial("{}").error().message, HasSubstr("status"));
  EXPECT_FALSE(parse_trial("not json").ok());
  std::string text = trial_to_json(sample_trial());
  text.replace(text.find("test_failed"), 11, "splendid");
  EXPECT_THAT(parse_trial(text).error().message, HasSubstr("'splendid' is not a trial status"));
}

TEST(NodeReportJson, RoundTrips) {
  NodeReport report{
      .node = "n1", .address = "10.0.0.1", .facts = {{"kernel", "6.1"}}, .topology_json = "{}"};
  report.checks = {{.id = "gpu_set",
                    .node = "n1",
                    .verdict = CheckVerdict::kPass,
                    .expected = "4",
                    .observed = "4"}};
  const auto back = parse_node_report(node_report_to_json(report));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->facts, report.facts);
  EXPECT_EQ(back->checks[0].verdict, CheckVerdict::kPass);
  const auto checks = parse_checks(checks_to_json(report.checks));
  ASSERT_TRUE(checks.ok());
  EXPECT_EQ(checks->at(0).id, "gpu_set");
}

class Journal : public ::testing::Test {
 protected:
  TempDir dir_;
  SystemClock clock_;
  std::string path_ = dir_.path() + "/journal.jsonl";
};

TEST_F(Journal, IsReadAsItGrows) {
  JournalReader reader(path_);
  EXPECT_THAT(reader.read_new().value(), IsEmpty());
  auto writer = JournalWriter::open(path_, clock_);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->append("job_started", R"({"job_id":"7"})").ok());
  ASSERT_TRUE(writer->append("phase", R"({"phase":"probe"})").ok());
  const auto entries = reader.read_new();
  ASSERT_TRUE(entries.ok());
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_EQ(entries->at(0).type, "job_started");
  EXPECT_THAT(entries->at(0).json, HasSubstr("\"job_id\":\"7\""));
  EXPECT_THAT(reader.read_new().value(), IsEmpty());
}

TEST_F(Journal, LeavesATornLastLineAndTheWriterCutsItOff) {
  {
    auto writer = JournalWriter::open(path_, clock_);
    ASSERT_TRUE(writer->append("phase", "").ok());
  }
  std::ofstream(path_, std::ios::app) << R"({"seq":1,"utc":"x","ty)";
  JournalReader reader(path_);
  EXPECT_THAT(reader.read_new().value(), SizeIs(1));
  auto writer = JournalWriter::open(path_, clock_);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->append("job_finished", "").ok());
  const auto rest = reader.read_new();
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  ASSERT_THAT(*rest, SizeIs(1));
  EXPECT_EQ(rest->at(0).type, "job_finished");
}

TEST_F(Journal, RefusesALostOrForeignLine) {
  std::ofstream(path_)
      << "{\"seq\":0,\"utc\":\"x\",\"type\":\"a\"}\n{\"seq\":2,\"utc\":\"x\",\"type\":\"b\"}\n";
  EXPECT_THAT(JournalReader(path_).read_new().error().message, HasSubstr("missing or doubled"));
  std::ofstream(path_) << "hello\n";
  EXPECT_THAT(JournalReader(path_).read_new().error().message,
              HasSubstr("line 1 is not a journal entry"));
}

}  // namespace
}  // namespace sglexp
