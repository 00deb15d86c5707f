// SPDX-License-Identifier: Apache-2.0
#include "harness/store/store.h"

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/json.h"
#include "harness/store/database.h"
#include "harness/store/sample_run.h"
#include "harness/store/statement.h"
#include "harness/store/trials_digest.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { EXPECT_TRUE(store_.begin_run(run_).ok()); }
  std::vector<TrialRecord> trials() { return store_.load_trials(run_.uuid).value(); }

  Store store_ = std::move(Store::open("", OpenMode::kMemory)).value();
  RunInfo run_ = sample_run();
};

TEST_F(StoreTest, GivesARunBackAsItWasStored) {
  const RunInfo back = store_.load_run(run_.uuid).value();
  EXPECT_EQ(back.token, run_.token);
  EXPECT_EQ(back.scenario, "numa_compare");
  EXPECT_EQ(back.cluster, "mock");
  EXPECT_EQ(back.seed, run_.seed);
  EXPECT_EQ(back.spec_json, run_.spec_json);
  EXPECT_EQ(back.run_dir, run_.run_dir);
  EXPECT_EQ(back.status, "running");
  EXPECT_TRUE(back.simulated);
  EXPECT_EQ(back.simulated_why, "mock scheduler");
  EXPECT_EQ(back.outcome, std::nullopt);
  ASSERT_THAT(back.arms, SizeIs(2));
  EXPECT_EQ(back.arms[0].name, "same_numa");
  EXPECT_TRUE(back.arms[0].is_base);
  EXPECT_EQ(back.arms[1].factors_json, R"({"placement":"cross"})");
  ASSERT_THAT(back.metrics, SizeIs(2));
  EXPECT_EQ(back.metrics[0].margin_rel, 0.03);
  EXPECT_TRUE(back.metrics[0].gate);
  EXPECT_EQ(back.metrics[1].margin_rel, std::nullopt);
}

TEST_F(StoreTest, KeepsTheEndOfARun) {
  run_.status = "aborted";
  run_.ended_utc = "2026-11-30T22:00:00.000Z";
  run_.outcome = Outcome::kStartup;
  run_.failure = sample_failure();
  ASSERT_TRUE(store_.finish_run(run_).ok());
  const RunInfo back = store_.load_run(run_.uuid).value();
  EXPECT_EQ(back.status, "aborted");
  EXPECT_EQ(back.outcome, Outcome::kStartup);
  ASSERT_TRUE(back.failure.has_value());
  EXPECT_EQ(back.failure->evidence, sample_failure().evidence);
}

TEST_F(StoreTest, BeginningAgainChangesNothingAndAChangedSpecIsRefused) {
  run_.status = "complete";
  ASSERT_TRUE(store_.finish_run(run_).ok());
  ASSERT_TRUE(store_.begin_run(sample_run()).ok());
  EXPECT_EQ(store_.load_run(run_.uuid)->status, "complete");
  EXPECT_THAT(store_.load_run(run_.uuid)->arms, SizeIs(2));
  RunInfo other = sample_run();
  other.spec_hash = "spec-2";
  EXPECT_EQ(store_.begin_run(other).error().code, ErrorCode::kInvalidInput);
}

TEST_F(StoreTest, UpdatesJobStates) {
  ASSERT_TRUE(store_.set_run_jobs(run_.uuid, std::vector<RunJob>{{"9", "shared", "PENDING"}}).ok());
  ASSERT_TRUE(store_
                  .set_run_jobs(run_.uuid, std::vector<RunJob>{{"9", "shared", "RUNNING"},
                                                               {"10", "s01-x", "PENDING"}})
                  .ok());
  const std::vector<RunJob> jobs = store_.load_jobs(run_.uuid).value();
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].state, "RUNNING");
  EXPECT_THAT(store_.load_run(run_.uuid)->job_ids, ElementsAre("9", "10"));
}

TEST_F(StoreTest, GivesATrialBackAsItWasStored) {
  TrialRecord trial = sample_trial();
  trial.failure = sample_failure();
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, sample_requests(3)).ok());
  ASSERT_THAT(trials(), SizeIs(1));
  EXPECT_EQ(trial_to_json(trials()[0]), trial_to_json(trial));
}

TEST_F(StoreTest, ReplacesATrialUnderItsKey) {
  TrialRecord trial = sample_trial();
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, sample_requests(5)).ok());
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, sample_trial("cross_numa", 0, 1), {}).ok());
  trial.metrics.resize(1);
  trial.metrics[0].value = 7.0;
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, sample_requests(3)).ok());
  ASSERT_THAT(trials(), SizeIs(2));
  EXPECT_EQ(trial_to_json(trials()[0]), trial_to_json(trial));
  std::int64_t requests = 0;
  const std::vector<RequestCount> counts = store_.count_requests(run_.uuid).value();
  for (const RequestCount& count : counts) {
    requests += count.n;
  }
  EXPECT_EQ(requests, 3);
}

TEST_F(StoreTest, AttemptsAndLoadPointsAreTrialsOfTheirOwn) {
  TrialRecord trial = sample_trial();
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, {}).ok());
  trial.key.attempt = 1;
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, {}).ok());
  trial.key.load_point = "c64";
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, {}).ok());
  EXPECT_THAT(trials(), SizeIs(3));
}

TEST_F(StoreTest, NeverStoresNumbersThatAreNotFinite) {
  TrialRecord trial = sample_trial();
  trial.metrics = {{"a", "1", Direction::kNone, std::nan(""), 1, ""},
                   {"b", "1", Direction::kNone, std::numeric_limits<double>::infinity(), 1, "x/0"},
                   {"c", "1", Direction::kNone, std::nullopt, 0, ""}};
  trial.warmup_s = std::nan("");
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, trial, {}).ok());
  const std::vector<MetricValue> metrics = trials()[0].metrics;
  ASSERT_THAT(metrics, SizeIs(3));
  for (const MetricValue& metric : metrics) {
    EXPECT_EQ(metric.value, std::nullopt);
  }
  EXPECT_THAT(metrics[0].reason, HasSubstr("nan"));
  EXPECT_THAT(metrics[1].reason, HasSubstr("inf): x/0"));
  EXPECT_EQ(metrics[2].reason, "not measured");
}

TEST_F(StoreTest, ADiscardedTrialNeedsAListedReason) {
  TrialRecord trial = sample_trial();
  trial.status = TrialStatus::kDiscarded;
  EXPECT_EQ(store_.ingest_trial(run_.uuid, trial, {}).error().code, ErrorCode::kInvalidInput);
  trial.discard_reason = "looked odd";
  EXPECT_THAT(store_.ingest_trial(run_.uuid, trial, {}).error().message, HasSubstr("looked odd"));
  trial.discard_reason = "preempted";
  EXPECT_TRUE(store_.ingest_trial(run_.uuid, trial, {}).ok());
  trial.status = TrialStatus::kOk;
  EXPECT_FALSE(store_.ingest_trial(run_.uuid, trial, {}).ok());
}

TEST_F(StoreTest, RefusesAnUnknownRunOrArm) {
  EXPECT_EQ(store_.ingest_trial("no-such-run", sample_trial(), {}).error().code,
            ErrorCode::kNotFound);
  const Status done = store_.ingest_trial(run_.uuid, sample_trial("sideways"), {});
  EXPECT_EQ(done.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(done.error().message, HasSubstr("no arm 'sideways'"));
}

TEST_F(StoreTest, AMetricKeepsItsUnitAndDirection) {
  TrialRecord trial = sample_trial();
  trial.metrics[0].unit = "tok/min";
  const Status done = store_.ingest_trial(run_.uuid, trial, {});
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("output_tok_s"));
  EXPECT_THAT(trials(), IsEmpty()) << "half a trial was stored";
}

TEST_F(StoreTest, NothingOfATrialStaysIfOneRequestIsBad) {
  std::vector<RequestRecord> requests = sample_requests(3);
  requests[2].seq = 1;  // twice
  EXPECT_FALSE(store_.ingest_trial(run_.uuid, sample_trial(), requests).ok());
  requests[2].seq = 2;
  requests[2].output_sha256 = "not hex";
  EXPECT_FALSE(store_.ingest_trial(run_.uuid, sample_trial(), requests).ok());
  EXPECT_THAT(trials(), IsEmpty());
}

TEST_F(StoreTest, CountsRequestsByArmPointPhaseAndStatus) {
  std::vector<RequestRecord> requests = sample_requests(4);
  requests[3].status = RequestStatus::kTimeout;
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, sample_trial(), requests).ok());
  const std::vector<RequestCount> counts = store_.count_requests(run_.uuid).value();
  ASSERT_THAT(counts, SizeIs(3));
  EXPECT_FALSE(counts[0].warmup);
  EXPECT_EQ(counts[0].status, RequestStatus::kOk);
  EXPECT_EQ(counts[0].n, 2);
  EXPECT_EQ(counts[1].status, RequestStatus::kTimeout);
  EXPECT_TRUE(counts[2].warmup);
  EXPECT_EQ(counts[2].load_point, "c16");
}

TEST_F(StoreTest, KeepsEveryStatusWordThatRecordsKnow) {
  std::vector<RequestRecord> requests;
  for (int i = 0; i <= static_cast<int>(RequestStatus::kCancelled); ++i) {
    requests.push_back(sample_request(i));
    requests.back().status = static_cast<RequestStatus>(i);
  }
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, sample_trial(), requests).ok());
  int slot = 0;
  for (int o = 0; o <= static_cast<int>(Outcome::kInternal); ++o) {
    TrialRecord trial = sample_trial("cross_numa", 0, ++slot);
    trial.outcome = static_cast<Outcome>(o);
    const Status done = store_.ingest_trial(run_.uuid, trial, {});
    EXPECT_TRUE(done.ok()) << done.error().message;
    run_.outcome = trial.outcome;
    EXPECT_TRUE(store_.finish_run(run_).ok());
  }
  for (const TrialStatus status : {TrialStatus::kTestFailed, TrialStatus::kInfraFailed}) {
    TrialRecord trial = sample_trial("cross_numa", 1, ++slot);
    trial.status = status;
    EXPECT_TRUE(store_.ingest_trial(run_.uuid, trial, {}).ok());
  }
}

TEST_F(StoreTest, ReplacesTheChecksOfAJob) {
  const CheckResult pass = {.id = "gpu_set", .node = "n1", .verdict = CheckVerdict::kPass};
  const CheckResult fail = {.id = "master_addr",
                            .node = "",
                            .measured = false,
                            .verdict = CheckVerdict::kFail,
                            .expected = "one address",
                            .observed = "",
                            .evidence = "Robert'); DROP TABLE check_result;--",
                            .remedy = "fix DNS"};
  ASSERT_TRUE(store_.put_checks(run_.uuid, "1", std::vector{fail, pass, fail}).ok());
  ASSERT_TRUE(store_.put_checks(run_.uuid, "2", std::vector{pass}).ok());
  ASSERT_TRUE(store_.put_checks(run_.uuid, "1", std::vector{pass, fail}).ok());
  const std::vector<CheckResult> back = store_.load_checks(run_.uuid).value();
  ASSERT_THAT(back, SizeIs(3));
  const auto unmeasured = std::find_if(back.begin(), back.end(),
                                       [](const CheckResult& c) { return c.id == "master_addr"; });
  ASSERT_NE(unmeasured, back.end());
  EXPECT_EQ(unmeasured->evidence, fail.evidence);
  EXPECT_EQ(unmeasured->node, "");
  EXPECT_FALSE(unmeasured->measured);
}

TEST_F(StoreTest, RefusesAPassThatWasNotMeasured) {
  const CheckResult false_green = {
      .id = "gpu_set", .node = "n1", .measured = false, .verdict = CheckVerdict::kPass};
  EXPECT_EQ(store_.put_checks(run_.uuid, "", std::vector{false_green}).error().code,
            ErrorCode::kInvalidInput);
}

TEST_F(StoreTest, ReplacesTheEnvironmentOfANodeAndRefusesWhatIsNotJson) {
  ASSERT_TRUE(store_.put_environment(run_.uuid, {"1", "n1", "node", R"({"a": 1})"}).ok());
  ASSERT_TRUE(store_.put_environment(run_.uuid, {"1", "n2", "node", R"({"a":1})"}).ok());
  ASSERT_TRUE(store_.put_environment(run_.uuid, {"1", "n1", "node", R"({"a":2})"}).ok());
  const std::vector<EnvironmentFact> facts = store_.load_environment(run_.uuid).value();
  ASSERT_THAT(facts, SizeIs(2));
  EXPECT_EQ(facts[0].json, R"({"a":2})");
  EXPECT_EQ(facts[1].node, "n2");
  EXPECT_EQ(store_.put_environment(run_.uuid, {"1", "n1", "node", "a: 1"}).error().code,
            ErrorCode::kInvalidInput);
}

ComparisonRecord sample_comparison() {
  ComparisonRecord record{.base_ref = "r", .cand_ref = "r", .inputs_sha256 = "i1"};
  record.comparison.simulated = true;
  record.comparison.metrics = {{.metric = "output_tok_s",
                                .unit = "tok/s",
                                .direction = Direction::kHigherIsBetter,
                                .load_point = "c16",
                                .base_arm = "same_numa",
                                .arm = "cross_numa",
                                .test = "sign_flip",
                                .base = 2411.0,
                                .candidate = 2100.0,
                                .ratio = 0.871,
                                .ci_low = 0.86,
                                .ci_high = std::numeric_limits<double>::infinity(),
                                .confidence_achieved = 0.961,
                                .p = 0.0078125,
                                .p_adjusted = 0.0234375,
                                .a12 = 0.0,
                                .n_base = 8,
                                .n_candidate = 8,
                                .margin = 0.03,
                                .gate = true,
                                .verdict = Verdict::kWorse,
                                .reason = "confirmed over margin",
                                .more_runs = 3,
                                .confounded_with = "nodes"}};
  record.comparison.output_sanity = {{"same_numa", "cross_numa", "c16", 8, 7, "block 3 differs"}};
  return record;
}

TEST_F(StoreTest, GivesAComparisonBackAndReplacesItUnderItsKey) {
  ComparisonRecord record = sample_comparison();
  ASSERT_TRUE(store_.put_comparison(run_.uuid, record).ok());
  ASSERT_TRUE(store_.put_comparison(run_.uuid, record).ok());
  record.inputs_sha256 = "i2";
  record.comparison.paired = false;
  ASSERT_TRUE(store_.put_comparison(run_.uuid, record).ok());
  const std::vector<ComparisonRecord> back = store_.load_comparisons(run_.uuid).value();
  ASSERT_THAT(back, SizeIs(2));
  EXPECT_TRUE(back[0].comparison.paired);
  EXPECT_FALSE(back[1].comparison.paired);
  EXPECT_FALSE(back[0].made_utc.empty());
  ASSERT_THAT(back[0].comparison.metrics, SizeIs(1));
  const MetricComparison& metric = back[0].comparison.metrics[0];
  EXPECT_EQ(metric.unit, "tok/s");
  EXPECT_EQ(metric.ratio, 0.871);
  EXPECT_EQ(metric.ci_high, std::nullopt) << "an infinity was stored";
  EXPECT_EQ(metric.confidence_achieved, 0.961);
  EXPECT_EQ(metric.p_adjusted, 0.0234375);
  EXPECT_EQ(metric.more_runs, 3);
  EXPECT_EQ(metric.confounded_with, "nodes");
  EXPECT_EQ(metric.verdict, Verdict::kWorse);
  EXPECT_TRUE(metric.gate);
  EXPECT_FALSE(metric.fails_run);
  ASSERT_THAT(back[0].comparison.output_sanity, SizeIs(1));
  EXPECT_EQ(back[0].comparison.output_sanity[0].equal, 7);
}

TEST_F(StoreTest, KeepsAGateThatHadNoDataBesideTheSameMetricThatHad) {
  ComparisonRecord record = sample_comparison();
  record.comparison.metrics.push_back({.metric = "output_tok_s",
                                       .load_point = "c64",
                                       .base_arm = "same_numa",
                                       .arm = "cross_numa",
                                       .gate = true,
                                       .verdict = Verdict::kNoData,
                                       .reason = "no counted trial"});
  ASSERT_TRUE(store_.put_comparison(run_.uuid, record).ok());
  const std::vector<ComparisonRecord> back = store_.load_comparisons(run_.uuid).value();
  ASSERT_THAT(back[0].comparison.metrics, SizeIs(2));
  EXPECT_EQ(back[0].comparison.metrics[0].unit, "tok/s");
  EXPECT_EQ(back[0].comparison.metrics[1].unit, "");
  EXPECT_EQ(back[0].comparison.metrics[1].reason, "no counted trial");
}

TEST_F(StoreTest, KeepsEveryVerdictWord) {
  ComparisonRecord record = sample_comparison();
  for (int i = 0; i <= static_cast<int>(Verdict::kNoData); ++i) {
    record.comparison.metrics[0].verdict = static_cast<Verdict>(i);
    record.verdict = static_cast<Verdict>(i);
    EXPECT_TRUE(store_.put_comparison(run_.uuid, record).ok());
    const std::vector<ComparisonRecord> back = store_.load_comparisons(run_.uuid).value();
    EXPECT_EQ(back.back().verdict, record.verdict);
  }
}

TEST_F(StoreTest, ListsRunsNewestFirstAndFilters) {
  RunInfo later = sample_run("22222222-aaaa-4aaa-8aaa-aaaaaaaaaaaa");
  later.started_utc = "2026-12-01T00:00:00.000Z";
  later.scenario = "env_smoke";
  later.status = "complete";
  ASSERT_TRUE(store_.begin_run(later).ok());
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, sample_trial(), {}).ok());
  TrialRecord bad = sample_trial("cross_numa", 0, 1);
  bad.status = TrialStatus::kInfraFailed;
  ASSERT_TRUE(store_.ingest_trial(run_.uuid, bad, {}).ok());

  const std::vector<RunSummary> all = store_.list_runs({}).value();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].run.uuid, later.uuid);
  EXPECT_EQ(all[1].trials, 2);
  EXPECT_EQ(all[1].trials_ok, 1);
  EXPECT_THAT(store_.list_runs({.active_only = true}).value(), SizeIs(1));
  EXPECT_THAT(store_.list_runs({.scenario = "env_smoke"}).value(), SizeIs(1));
  EXPECT_THAT(store_.list_runs({.limit = 1}).value(), SizeIs(1));
  EXPECT_THAT(store_.list_runs({.limit = 0}).value(), SizeIs(2));
}

TEST_F(StoreTest, FindsARunByPrefixOrAsTheLatest) {
  RunInfo later = sample_run("11112222-aaaa-4aaa-8aaa-aaaaaaaaaaaa");
  later.started_utc = "2026-12-01T00:00:00.000Z";
  ASSERT_TRUE(store_.begin_run(later).ok());
  EXPECT_EQ(store_.find_run("latest").value(), later.uuid);
  EXPECT_EQ(store_.find_run("11111").value(), run_.uuid);
  EXPECT_EQ(store_.find_run(run_.uuid).value(), run_.uuid);
  const auto ambiguous = store_.find_run("1111");
  EXPECT_EQ(ambiguous.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(ambiguous.error().message, HasSubstr(later.uuid));
  EXPECT_EQ(store_.find_run("11").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(store_.find_run("%%%%").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_.find_run("' OR 1=1 --").error().code, ErrorCode::kNotFound);
}

TEST(Store, LatestOfNoneIsNotFound) {
  const Store store = std::move(Store::open("", OpenMode::kMemory)).value();
  EXPECT_EQ(store.find_run("latest").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(store.list_runs({}).value(), IsEmpty());
}

TEST(StoreFile, ForeignKeysHoldAndSharedDocumentsAreKeptOnce) {
  const TempDir dir;
  const std::string path = dir.path() + "/s.db";
  Store store = std::move(Store::open(path, OpenMode::kReadWrite)).value();
  const RunInfo run = sample_run();
  ASSERT_TRUE(store.begin_run(run).ok());
  ASSERT_TRUE(store.ingest_trial(run.uuid, sample_trial(), sample_requests(2)).ok());
  ASSERT_TRUE(store.ingest_trial(run.uuid, sample_trial("cross_numa", 0, 1), {}).ok());
  ASSERT_TRUE(store.put_environment(run.uuid, {"1", "n1", "node", R"({"a":1, "b":2})"}).ok());
  ASSERT_TRUE(store.put_environment(run.uuid, {"1", "n2", "node", R"({"b":2,"a":1})"}).ok());

  Database database = std::move(Database::open(path, Database::Access::kReadWrite)).value();
  EXPECT_EQ(database.integer("SELECT count(*) FROM env_blob").value(), 2);
  EXPECT_FALSE(database.execute("INSERT INTO metric VALUES(999, 'output_tok_s', 1, 1, '')").ok());
  EXPECT_FALSE(database.execute("UPDATE trial SET status = 'discarded'").ok());
  EXPECT_FALSE(database.execute("UPDATE trial SET block = 'x'").ok());
  ASSERT_TRUE(database.execute("DELETE FROM run").ok());
  for (const char* const table : {"arm", "trial", "metric", "request", "hist", "placement"}) {
    EXPECT_EQ(database.integer(std::string("SELECT count(*) FROM ") + table).value(), 0) << table;
  }
}

TEST(StoreFile, TwoWritersWaitForOneAnother) {
  const TempDir dir;
  const std::string path = dir.path() + "/s.db";
  const auto write_runs = [&](char mark) {
    Store store = std::move(Store::open(path, OpenMode::kReadWrite)).value();
    for (int i = 0; i < 4; ++i) {
      const RunInfo run = sample_run(std::string(6, mark) + std::to_string(i));
      ASSERT_TRUE(store.begin_run(run).ok());
      const Status done = store.ingest_trial(run.uuid, sample_trial(), sample_requests(20));
      ASSERT_TRUE(done.ok()) << done.error().message;
    }
  };
  std::thread first(write_runs, 'a');
  std::thread second(write_runs, 'b');
  first.join();
  second.join();
  const Store store = std::move(Store::open(path, OpenMode::kReadOnly)).value();
  EXPECT_THAT(store.list_runs({}).value(), SizeIs(8));
}

TEST(StoreFile, ReadOnlyRefusesToWrite) {
  const TempDir dir;
  const std::string path = dir.path() + "/s.db";
  ASSERT_TRUE(Store::open(path, OpenMode::kReadWrite).ok());
  Store store = std::move(Store::open(path, OpenMode::kReadOnly)).value();
  const Status done = store.begin_run(sample_run());
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("no permission to write"));
}

TEST(TrialsDigest, ChangesWithWhatAComparisonReads) {
  const std::vector<TrialRecord> trials = {sample_trial(), sample_trial("cross_numa", 0, 1)};
  const std::vector<TrialRecord> swapped = {trials[1], trials[0]};
  EXPECT_EQ(trials_digest(trials), trials_digest(swapped));
  std::vector<TrialRecord> changed = trials;
  changed[0].metrics[0].value = std::nextafter(*changed[0].metrics[0].value, 0.0);
  EXPECT_NE(trials_digest(trials), trials_digest(changed));
  changed = trials;
  changed[0].status = TrialStatus::kInfraFailed;
  EXPECT_NE(trials_digest(trials), trials_digest(changed));
  changed = trials;
  changed[0].measured_s = 99;
  EXPECT_EQ(trials_digest(trials), trials_digest(changed));
}

}  // namespace
}  // namespace sglexp
