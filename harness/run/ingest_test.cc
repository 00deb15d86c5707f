// SPDX-License-Identifier: Apache-2.0
#include "harness/run/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/load/requests_file.h"
#include "harness/record/json.h"
#include "harness/run/run_info_builder.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Ingest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(store_.begin_run(make_run_info(run_)).ok()); }
  Status ingest(const std::string& type, const json& members) {
    return ingest_entry(run_, "101", {.type = type, .json = members.dump()}, store_);
  }
  std::string write_trial(const TrialRecord& trial) {
    const std::string path = run_.dir.trial_file(trial.key);
    EXPECT_TRUE(write_file_atomic(path, trial_to_json(trial)).ok());
    return run_.dir.relative(path);
  }

  TempDir root_;
  RunFiles run_ = sample_run(root_.path(), sample_inputs({"repeats.blocks=1"}));
  TrialRecord trial_ = sample_trial(run_, run_.plan.slots[0], run_.plan.slots[0].trials[0], 1000);
  Store store_ = std::move(Store::open("", OpenMode::kMemory)).value();
};

TEST_F(Ingest, ATrialWithItsRequests) {
  trial_.requests_file = run_.dir.relative(run_.dir.requests_file(trial_.key));
  const std::vector<RequestRecord> requests = {{.seq = 0, .status = RequestStatus::kOk},
                                               {.seq = 1, .status = RequestStatus::kTimeout}};
  ASSERT_TRUE(write_requests_file(run_.dir.requests_file(trial_.key), requests).ok());
  const Status done = ingest("trial_finished", {{"file", write_trial(trial_)}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_THAT(*store_.load_trials(run_.uuid), SizeIs(1));
  EXPECT_THAT(*store_.count_requests(run_.uuid), SizeIs(2));
}

TEST_F(Ingest, TwiceIsOnce) {
  const json line = {{"file", write_trial(trial_)}};
  ASSERT_TRUE(ingest("trial_finished", line).ok());
  ASSERT_TRUE(ingest("trial_finished", line).ok());
  EXPECT_THAT(*store_.load_trials(run_.uuid), SizeIs(1));
}

TEST_F(Ingest, ChecksAndNodeReports) {
  ASSERT_TRUE(write_file_atomic(run_.dir.file("checks.json"),
                                checks_to_json({{.id = "gpu_set", .node = "mi210-01"}}))
                  .ok());
  ASSERT_TRUE(ingest("checks", {{"file", "checks.json"}}).ok());
  EXPECT_THAT(*store_.load_checks(run_.uuid), SizeIs(1));
  ASSERT_TRUE(
      write_file_atomic(run_.dir.file("node.json"),
                        node_report_to_json({.node = "mi210-01", .facts = {{"kernel", "6.1"}}}))
          .ok());
  const Status done = ingest("node_report", {{"file", "node.json"}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_THAT(*store_.load_environment(run_.uuid), SizeIs(2));
}

TEST_F(Ingest, FactsWithBytesThatAreNotTextAreKept) {
  ASSERT_TRUE(write_file_atomic(
                  run_.dir.file("node.json"),
                  node_report_to_json({.node = "mi210-01", .facts = {{"product", "\xff\xfe"}}}))
                  .ok());
  EXPECT_TRUE(ingest("node_report", {{"file", "node.json"}}).ok());
}

TEST_F(Ingest, EntriesWithoutResultsAreLeftAlone) {
  EXPECT_TRUE(ingest("phase", {{"phase", "load"}}).ok());
  EXPECT_TRUE(ingest("something_new", {{"file", "/etc/passwd"}}).ok());
  EXPECT_THAT(*store_.load_trials(run_.uuid), IsEmpty());
}

TEST_F(Ingest, APathOutsideTheRunIsRefused) {
  for (const json& file : {json("../../other/x.json"), json("/etc/passwd"), json(7), json()}) {
    const Status done = ingest("checks", {{"file", file}});
    ASSERT_FALSE(done.ok()) << file;
    EXPECT_EQ(done.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(done.error().message, HasSubstr("checks"));
  }
  EXPECT_FALSE(ingest("checks", json::object()).ok());
}

TEST_F(Ingest, ARecordCannotNameRequestsOutsideTheRunEither) {
  const std::string outside = root_.path() + "/outside.jsonl";
  ASSERT_TRUE(write_requests_file(outside, {}).ok());
  trial_.requests_file = "../outside.jsonl";
  const Status done = ingest("trial_finished", {{"file", write_trial(trial_)}});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kInvalidInput);
}

TEST_F(Ingest, AFileThatIsMissingOrDamagedIsAnError) {
  EXPECT_FALSE(ingest("trial_finished", {{"file", "trials/none.json"}}).ok());
  ASSERT_TRUE(write_file_atomic(run_.dir.file("trials/torn.json"), "{").ok());
  EXPECT_FALSE(ingest("trial_finished", {{"file", "trials/torn.json"}}).ok());
}

}  // namespace
}  // namespace sglexp
