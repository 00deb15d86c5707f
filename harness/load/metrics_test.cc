// SPDX-License-Identifier: Apache-2.0
#include "harness/load/metrics.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RequestRecord record_of(std::int64_t start, std::vector<TokenEvent> events) {
  RequestRecord record;
  record.t_sched_ns = record.t_start_ns = start;
  record.status = RequestStatus::kOk;
  record.events = std::move(events);
  if (!record.events.empty()) {
    record.t_first_ns = record.events.front().t_ns;
    record.t_last_ns = record.events.back().t_ns;
    record.output_tokens = record.events.back().tokens;
  }
  return record;
}

// Starts at 100; one token at 150, three more at 180, one more at 220.
const RequestRecord kRecord = record_of(100, {{150, 1}, {180, 4}, {220, 5}});

TEST(Metrics, TimeToFirstTokenCountsFromTheSchedule) {
  EXPECT_EQ(ttft_ns(kRecord), 50);
  RequestRecord late = kRecord;
  late.t_sched_ns = 40;  // the client took it up 60 ns late: that is part of the wait
  EXPECT_EQ(ttft_ns(late), 110);
  EXPECT_EQ(e2e_ns(late), 180);
}

TEST(Metrics, EndToEndStopsAtTheLastToken) {
  RequestRecord record = kRecord;
  record.t_end_ns = 999;
  EXPECT_EQ(e2e_ns(record), 120);
}

TEST(Metrics, InterTokenLatencySharesAGapAmongItsTokens) {
  std::vector<double> samples;
  append_itl_ns(kRecord, samples);
  EXPECT_THAT(samples, ElementsAre(10, 10, 10, 40));
}

TEST(Metrics, InterChunkLatencyKeepsTheGaps) {
  std::vector<double> samples;
  append_icl_ns(kRecord, samples);
  EXPECT_THAT(samples, ElementsAre(30, 40));
}

TEST(Metrics, TimePerOutputTokenLeavesOutTheFirstEvent) {
  EXPECT_EQ(tpot_ns(kRecord), 70.0 / 4);
  // Two tokens in the first event: (220 - 150) / (5 - 2).
  EXPECT_EQ(tpot_ns(record_of(100, {{150, 2}, {220, 5}})), 70.0 / 3);
}

TEST(Metrics, OneEventHasNoGapAndNoTimePerToken) {
  const RequestRecord record = record_of(0, {{10, 3}});
  std::vector<double> samples;
  append_itl_ns(record, samples);
  EXPECT_THAT(samples, IsEmpty());
  EXPECT_EQ(tpot_ns(record), std::nullopt);
  EXPECT_EQ(ttft_ns(record), 10);
}

TEST(Metrics, WithoutTokensThereIsNoLatency) {
  const RequestRecord record = record_of(0, {});
  EXPECT_EQ(ttft_ns(record), std::nullopt);
  EXPECT_EQ(e2e_ns(record), std::nullopt);
  EXPECT_EQ(tpot_ns(record), std::nullopt);
}

TEST(Metrics, RefusesGapsWhereOnlyTheTotalIsKnown) {
  RequestRecord record = record_of(0, {{10, 1}, {20, 2}});
  record.output_tokens = 8;  // eight tokens came in two events, but how were they split?
  std::vector<double> samples;
  append_itl_ns(record, samples);
  EXPECT_THAT(samples, IsEmpty());
  EXPECT_EQ(tpot_ns(record), std::nullopt);
}

TEST(Metrics, CountsTokensInsideAWindowOpenAtItsBegin) {
  EXPECT_EQ(tokens_between(kRecord, 0, 1000), 5);
  EXPECT_EQ(tokens_between(kRecord, 150, 180), 3);
  EXPECT_EQ(tokens_between(kRecord, 149, 179), 1);
  EXPECT_EQ(tokens_between(kRecord, 300, 400), 0);
}

TEST(Metrics, MedianGapIsTakenOverMeasuredSuccesses) {
  RequestRecord warm = record_of(0, {{10, 1}, {1010, 2}});
  warm.warmup = true;
  RequestRecord failed = record_of(0, {{10, 1}, {2010, 2}});
  failed.status = RequestStatus::kTruncated;
  EXPECT_EQ(median_itl_ns(std::vector{warm, failed, kRecord}), 10);
  EXPECT_EQ(median_itl_ns(std::vector{warm}), std::nullopt);
}

}  // namespace
}  // namespace sglexp
