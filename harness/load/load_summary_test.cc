// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/digest.h"
#include "harness/load/load_job.h"
#include "harness/stats/histogram.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

// A request that starts at `start` ms and gets `tokens` tokens, one each `gap` ms, the first after
// `ttft` ms.
RequestRecord request(int seq, std::int64_t start, std::int64_t ttft, std::int64_t gap,
                      int tokens) {
  RequestRecord record;
  record.seq = seq;
  record.t_sched_ns = record.t_start_ns = start * kMs;
  record.t_first_ns = (start + ttft) * kMs;
  for (int i = 0; i < tokens; ++i) {
    record.events.push_back({record.t_first_ns + i * gap * kMs, i + 1});
  }
  record.t_last_ns = record.t_end_ns = record.events.back().t_ns;
  record.output_tokens = tokens;
  record.input_tokens = 10;
  record.http_status = 200;
  record.status = RequestStatus::kOk;
  record.output_sha256 = "digest" + std::to_string(seq);
  return record;
}

MetricValue find(const LoadSummary& summary, std::string_view name) {
  for (const MetricValue& metric : summary.metrics) {
    if (metric.name == name) {
      return metric;
    }
  }
  ADD_FAILURE() << "no metric " << name;
  return {};
}

// One warm-up and two measured requests of five tokens: 0 .. 60 ms and 0 .. 90 ms.
struct LoadSummaryOfTwo : ::testing::Test {
  LoadJob job;
  LoadResult result;
  LoadSummaryOfTwo() {
    job.concurrency = 2;
    job.requests = 2;
    job.warmup_requests = 1;
    result.requests = {request(0, -500, 100, 10, 5), request(1, 0, 20, 10, 5),
                       request(2, 0, 10, 20, 5)};
    result.requests[0].warmup = true;
    result.window_begin_ns = 0;
    result.window_end_ns = 90 * kMs;
    result.steady_begin_ns = 0;
    result.steady_end_ns = 60 * kMs;
  }
};

TEST_F(LoadSummaryOfTwo, ThroughputCountsTokensOverTheWindow) {
  const LoadSummary summary = summarize(job, result);
  const MetricValue rate = find(summary, "output_tok_s");
  EXPECT_NEAR(rate.value.value(), 10 / 0.090, 1e-9);
  EXPECT_EQ(rate.unit, "tok/s");
  EXPECT_EQ(rate.direction, Direction::kHigherIsBetter);
  EXPECT_EQ(rate.n, 10);
  // By 60 ms the first has all five, the second its tokens at 10, 30 and 50 ms.
  EXPECT_NEAR(find(summary, "output_tok_s_steady").value.value(), 8 / 0.060, 1e-9);
  EXPECT_NEAR(find(summary, "total_tok_s").value.value(), 30 / 0.090, 1e-9);
  EXPECT_NEAR(find(summary, "request_rate").value.value(), 2 / 0.090, 1e-9);
}

TEST_F(LoadSummaryOfTwo, LatenciesAreInMillisecondsAndLeaveOutTheWarmUp) {
  const LoadSummary summary = summarize(job, result);
  EXPECT_DOUBLE_EQ(find(summary, "ttft_p50_ms").value.value(), 15);
  EXPECT_DOUBLE_EQ(find(summary, "tpot_p50_ms").value.value(), 15);
  EXPECT_DOUBLE_EQ(find(summary, "itl_p50_ms").value.value(), 15);
  EXPECT_EQ(find(summary, "itl_p50_ms").n, 8);
  EXPECT_DOUBLE_EQ(find(summary, "icl_max_ms").value.value(), 20);
  EXPECT_DOUBLE_EQ(find(summary, "e2e_p50_ms").value.value(), 75);
}

TEST_F(LoadSummaryOfTwo, ThereIsNoP99OfFewSamplesAndItSaysWhy) {
  const MetricValue p99 = find(summarize(job, result), "ttft_p99_ms");
  EXPECT_FALSE(p99.value.has_value());
  EXPECT_EQ(p99.reason, "p99 needs 100 samples, there are 2");
}

TEST_F(LoadSummaryOfTwo, AHundredSamplesHaveAP99) {
  result.requests[1] = request(1, 0, 20, 10, 101);
  const MetricValue p99 = find(summarize(job, result), "itl_p99_ms");
  ASSERT_TRUE(p99.value.has_value());  // 100 gaps of 10 ms, 4 of 20 ms; rank 101.97 is among the 20
  EXPECT_DOUBLE_EQ(*p99.value, 20);
  EXPECT_EQ(p99.n, 104);
}

TEST_F(LoadSummaryOfTwo, AFailedRequestKeepsItsTokensAndLosesItsLatency) {
  result.requests[2].status = RequestStatus::kTruncated;
  result.requests[2].error = "the stream ended without [DONE]";
  result.requests[2].output_sha256.clear();
  const LoadSummary summary = summarize(job, result);
  EXPECT_NEAR(find(summary, "output_tok_s").value.value(), 10 / 0.090, 1e-9);
  EXPECT_NEAR(find(summary, "request_rate").value.value(), 1 / 0.090, 1e-9);
  EXPECT_DOUBLE_EQ(find(summary, "ttft_p50_ms").value.value(), 20);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(find(summary, "failed_requests").value, 1);
  EXPECT_THAT(summary.first_failure, HasSubstr("request 2: "));
  EXPECT_THAT(summary.first_failure, HasSubstr("without [DONE]"));
  EXPECT_EQ(summary.output_digest, "");
}

TEST_F(LoadSummaryOfTwo, AFailedWarmUpIsAFailureToo) {
  result.requests[0].status = RequestStatus::kConnect;
  const LoadSummary summary = summarize(job, result);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_THAT(summary.first_failure, HasSubstr("warm-up request 0"));
  EXPECT_NE(summary.output_digest, "");
}

TEST_F(LoadSummaryOfTwo, WithoutASuccessThereAreReasonsInsteadOfLatencies) {
  for (RequestRecord& record : result.requests) {
    record = RequestRecord{};
    record.status = RequestStatus::kConnect;
  }
  result.window_end_ns = 0;
  const LoadSummary summary = summarize(job, result);
  for (const char* name :
       {"ttft_p50_ms", "tpot_p50_ms", "itl_p50_ms", "icl_max_ms", "e2e_p50_ms"}) {
    EXPECT_FALSE(find(summary, name).value.has_value()) << name;
    EXPECT_EQ(find(summary, name).reason, "no measured request succeeded") << name;
  }
  EXPECT_FALSE(find(summary, "output_tok_s").value.has_value());
  EXPECT_FALSE(find(summary, "output_tok_s").reason.empty());
}

TEST_F(LoadSummaryOfTwo, AServerThatCountsOnlyAtTheEndHasNoInterTokenLatency) {
  result.requests[1].output_tokens = 20;
  const LoadSummary summary = summarize(job, result);
  for (const char* name : {"itl_p50_ms", "tpot_p50_ms", "output_tok_s_steady"}) {
    EXPECT_FALSE(find(summary, name).value.has_value()) << name;
    EXPECT_THAT(find(summary, name).reason, HasSubstr("did not count tokens per event")) << name;
  }
  EXPECT_NEAR(find(summary, "output_tok_s").value.value(), 25 / 0.090, 1e-9);
}

TEST_F(LoadSummaryOfTwo, UnknownPromptLengthsGiveNoTotal) {
  result.requests[1].input_tokens = -1;
  const MetricValue total = find(summarize(job, result), "total_tok_s");
  EXPECT_FALSE(total.value.has_value());
  EXPECT_THAT(total.reason, HasSubstr("prompt tokens"));
}

TEST_F(LoadSummaryOfTwo, DigestCoversTheMeasuredOutputsInOrder) {
  EXPECT_EQ(summarize(job, result).output_digest, sha256_hex("digest1\ndigest2\n"));
}

TEST_F(LoadSummaryOfTwo, HistogramsHoldEverySample) {
  const LoadSummary summary = summarize(job, result);
  ASSERT_EQ(summary.histograms.size(), 3U);
  EXPECT_EQ(summary.histograms[1].name, "itl");
  EXPECT_EQ(summary.histograms[1].total, 8);
  const auto itl = Histogram::parse(summary.histograms[1].codec, summary.histograms[1].bytes);
  ASSERT_TRUE(itl.ok());
  EXPECT_EQ(itl.value().max(), 20U * kMs);
}

TEST_F(LoadSummaryOfTwo, EveryMetricHasAUnitAndAValueOrAReason) {
  const LoadSummary summary = summarize(job, result);
  for (const MetricValue& metric : summary.metrics) {
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_NE(metric.value.has_value(), !metric.reason.empty()) << metric.name;
  }
}

}  // namespace
}  // namespace sglexp
