// SPDX-License-Identifier: Apache-2.0
// run_load against a server that sends exactly what each test says.
#include "harness/load/load_job.h"

#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/digest.h"
#include "harness/fakes/scripted_server.h"
#include "harness/load/probe_request.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using After = ScriptedAnswer::After;

std::string event(const std::string& data) {
  return "data: " + data + "\n\n";
}

std::string generate_event(const std::string& text, int tokens,
                           const std::string& finish = "null") {
  return event(R"({"text":")" + text + R"(","meta_info":{"prompt_tokens":9,"completion_tokens":)" +
               std::to_string(tokens) + R"(,"cached_tokens":0,"finish_reason":)" + finish + "}}");
}

const std::string kLength = R"({"type":"length","length":3})";
const std::string kDone = event("[DONE]");
const std::vector<std::string> kGoodGenerate = {generate_event("a", 1), generate_event("a b", 2),
                                                generate_event("a b c", 3, kLength), kDone};

LoadJob job_for(const ScriptedServer& server, LoadApi api = LoadApi::kGenerate) {
  LoadJob job;
  job.url = server.url();
  job.api = api;
  job.model = "m";
  job.output_tokens = 3;
  job.input_tokens = 4;
  job.request_timeout = Seconds(20);
  return job;
}

LoadResult run(const LoadJob& job) {
  const std::atomic<bool> stop{false};
  auto result = run_load(job, stop);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

// The one request of a job that gets this answer.
RequestRecord one(const ScriptedAnswer& answer, LoadApi api = LoadApi::kGenerate) {
  ScriptedServer server([&](const ScriptedRequest&) { return answer; });
  return run(job_for(server, api)).requests.at(0);
}

TEST(LoadJob, RecordsAGenerateStream) {
  const RequestRecord record = one(stream_answer(kGoodGenerate));
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
  EXPECT_EQ(record.error, "");
  EXPECT_EQ(record.http_status, 200);
  EXPECT_EQ(record.finish_reason, "length");
  EXPECT_EQ(record.output_tokens, 3);
  EXPECT_EQ(record.input_tokens, 9);
  EXPECT_EQ(record.cached_tokens, 0);
  EXPECT_EQ(record.output_sha256, sha256_hex("a b c"));
  ASSERT_EQ(record.events.size(), 3U);
  EXPECT_EQ(record.events[2].tokens, 3);
  EXPECT_EQ(record.t_sched_ns, record.t_start_ns);
  EXPECT_LE(record.t_start_ns, record.t_sent_ns);
  EXPECT_LE(record.t_sent_ns, record.t_headers_ns);
  EXPECT_LE(record.t_headers_ns, record.t_first_ns);
  EXPECT_EQ(record.t_first_ns, record.events[0].t_ns);
  EXPECT_EQ(record.t_last_ns, record.events[2].t_ns);
  EXPECT_LE(record.t_last_ns, record.t_end_ns);
}

TEST(LoadJob, CountsTokensNotEvents) {
  const RequestRecord record =
      one(stream_answer({generate_event("", 1), generate_event("a b c", 3, kLength), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
  ASSERT_EQ(record.events.size(), 2U);
  EXPECT_EQ(record.events[0].tokens, 1);  // a token without text is a token
  EXPECT_EQ(record.events[1].tokens, 3);
}

TEST(LoadJob, RecordsCompletionsWithContinuousUsage) {
  const auto piece = [](const std::string& text, int tokens, const std::string& finish) {
    return event(R"({"choices":[{"text":")" + text + R"(","finish_reason":)" + finish +
                 R"(}],"usage":{"prompt_tokens":5,"completion_tokens":)" + std::to_string(tokens) +
                 "}}");
  };
  const RequestRecord record = one(
      stream_answer({piece("x", 1, "null"), piece("yz", 3, "\"length\""),
                     event(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}})"),
                     kDone}),
      LoadApi::kCompletions);
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
  ASSERT_EQ(record.events.size(), 2U);
  EXPECT_EQ(record.events[1].tokens, 3);
  EXPECT_EQ(record.input_tokens, 5);
  EXPECT_EQ(record.output_sha256, sha256_hex("xyz"));
}

TEST(LoadJob, RecordsAChatWithRoleReasoningAndUsageEvents) {
  const auto delta = [](const std::string& fields, const std::string& finish = "null") {
    return event(R"({"choices":[{"index":0,"delta":{)" + fields + R"(},"finish_reason":)" + finish +
                 "}]}");
  };
  const RequestRecord record = one(
      stream_answer(
          {delta(R"("role":"assistant","content":"")"), delta(R"("reasoning_content":"hm")"),
           delta(R"("content":"a")"), delta(R"("content":"b")"), delta("", "\"stop\""),
           event(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}})"), kDone}),
      LoadApi::kChat);
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
  EXPECT_EQ(record.finish_reason, "stop");
  ASSERT_EQ(record.events.size(), 3U);  // neither role nor finish nor usage is a token
  EXPECT_EQ(record.output_tokens, 3);
  EXPECT_EQ(record.output_sha256, sha256_hex("hmab"));
}

TEST(LoadJob, TrustsTheFinalUsageOverTheNumberOfEvents) {
  const RequestRecord record = one(
      stream_answer({event(R"({"choices":[{"text":"abc","finish_reason":"length"}]})"),
                     event(R"({"choices":[],"usage":{"completion_tokens":3,"prompt_tokens":1}})"),
                     kDone}),
      LoadApi::kCompletions);
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
  EXPECT_EQ(record.output_tokens, 3);
  ASSERT_EQ(record.events.size(), 1U);
  EXPECT_EQ(record.events[0].tokens, 1);  // so that the metrics see that the split is unknown
}

TEST(LoadJob, SurvivesEverySplitOfTheBytes) {
  std::string all;
  for (const std::string& piece :
       {generate_event("\xC3\xA9", 1), generate_event("\xC3\xA9\xE2\x82\xAC", 3, kLength), kDone}) {
    all += piece;
  }
  for (std::size_t cut = 1; cut < all.size(); cut += 3) {
    const RequestRecord record = one(stream_answer({all.substr(0, cut), all.substr(cut)}));
    ASSERT_EQ(record.status, RequestStatus::kOk) << "cut at " << cut << ": " << record.error;
    ASSERT_EQ(record.output_sha256, sha256_hex("\xC3\xA9\xE2\x82\xAC")) << "cut at " << cut;
  }
}

TEST(LoadJob, ReadsCarriageReturnsCommentsAndAMissingLastLineEnd) {
  const RequestRecord record = one(stream_answer(
      {": ping\r\n\r\n", "data:" + generate_event("a b c", 3, kLength).substr(6), "data: [DONE]"}));
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
}

TEST(LoadJob, AnInBandErrorAfter200IsAFailure) {
  const RequestRecord record =
      one(stream_answer({generate_event("a", 1),
                         event(R"({"error":{"message":"The request queue is full."}})"), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kInBandError);
  EXPECT_EQ(record.error, "The request queue is full.");
  EXPECT_EQ(record.output_tokens, 1);
  EXPECT_EQ(record.output_sha256, "");
}

TEST(LoadJob, AnAbortIsAFailure) {
  const RequestRecord record = one(stream_answer(
      {generate_event("a", 1, R"({"type":"abort","message":"Abort in waiting queue"})"), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kInBandError);
  EXPECT_EQ(record.finish_reason, "abort");
  EXPECT_EQ(record.error, "Abort in waiting queue");
}

TEST(LoadJob, ACutStreamIsTruncated) {
  const RequestRecord record = one(stream_answer({generate_event("a", 1), "data: {\"te"}, false));
  EXPECT_EQ(record.status, RequestStatus::kTruncated);
  EXPECT_FALSE(record.error.empty());
  EXPECT_EQ(record.output_tokens, 1);
}

TEST(LoadJob, ACleanEndWithoutDoneIsTruncated) {
  EXPECT_EQ(one(stream_answer({generate_event("a b c", 3, kLength)})).status,
            RequestStatus::kTruncated);
  EXPECT_EQ(one(stream_answer({generate_event("a b c", 3, kLength), "data: {\"te"})).status,
            RequestStatus::kTruncated);
  EXPECT_EQ(one(stream_answer({})).status, RequestStatus::kTruncated);
}

TEST(LoadJob, DoneWithoutAFinishReasonIsTruncated) {
  const RequestRecord record = one(stream_answer({generate_event("a b c", 3), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kTruncated);
  EXPECT_THAT(record.error, HasSubstr("finish reason"));
}

TEST(LoadJob, AnotherLengthIsAFailure) {
  const RequestRecord record =
      one(stream_answer({generate_event("a b", 2, R"({"type":"stop","matched":2})"), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kWrongLength);
  EXPECT_EQ(record.error, "asked for 3 tokens, got 2");
}

TEST(LoadJob, OtherStatusesKeepTheServersWords) {
  const RequestRecord record = one(plain_answer(503, "no_available_workers\x1b[31m"));
  EXPECT_EQ(record.status, RequestStatus::kHttpStatus);
  EXPECT_EQ(record.http_status, 503);
  EXPECT_EQ(record.error, "HTTP 503: no_available_workers?[31m");
}

TEST(LoadJob, GarbageInTheStreamIsAParseFailure) {
  const RequestRecord record = one(stream_answer({event("<html>"), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kParse);
  EXPECT_THAT(record.error, HasSubstr("<html>"));
}

TEST(LoadJob, NoServerIsAConnectFailure) {
  LoadJob job;
  {
    const ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
    job = job_for(server);
  }
  const RequestRecord record = run(job).requests.at(0);
  EXPECT_EQ(record.status, RequestStatus::kConnect);
  EXPECT_EQ(record.t_sent_ns, -1);
  EXPECT_EQ(record.t_first_ns, -1);
}

TEST(LoadJob, ASilentServerIsATimeoutAtEachLimit) {
  ScriptedServer silent([](const ScriptedRequest&) { return ScriptedAnswer{}; });
  LoadJob job = job_for(silent);
  job.first_token_timeout = Millis(20);
  RequestRecord record = run(job).requests.at(0);
  EXPECT_EQ(record.status, RequestStatus::kTimeout);
  EXPECT_THAT(record.error, HasSubstr("no token within"));
  job.first_token_timeout = Nanos(0);
  job.request_timeout = Millis(20);
  record = run(job).requests.at(0);
  EXPECT_EQ(record.status, RequestStatus::kTimeout);
  EXPECT_THAT(record.error, HasSubstr("not finished within"));
}

TEST(LoadJob, AStalledStreamIsATimeout) {
  ScriptedServer server([](const ScriptedRequest&) {
    ScriptedAnswer answer = stream_answer({generate_event("a", 1)});
    answer.writes.pop_back();
    return answer;
  });
  LoadJob job = job_for(server);
  job.gap_timeout = Millis(20);
  const RequestRecord record = run(job).requests.at(0);
  EXPECT_EQ(record.status, RequestStatus::kTimeout);
  EXPECT_THAT(record.error, HasSubstr("no further token within"));
  EXPECT_EQ(record.output_tokens, 1);
}

TEST(LoadJob, ADeadPooledConnectionIsNotAFailure) {
  ScriptedServer server([](const ScriptedRequest& request) {
    ScriptedAnswer answer = stream_answer(kGoodGenerate);
    if (request.number == 0) {
      answer.after = After::kClose;  // idle time-out of the server, silently
    } else if (request.number == 1 && request.connection == 0) {
      answer = {{}, After::kClose};
    }
    return answer;
  });
  LoadJob job = job_for(server);
  job.requests = 3;
  for (const RequestRecord& record : run(job).requests) {
    EXPECT_EQ(record.status, RequestStatus::kOk) << record.seq << ": " << record.error;
  }
}

TEST(LoadJob, RunsWarmUpFirstAndKeepsItApart) {
  ScriptedServer server([](const ScriptedRequest&) { return stream_answer(kGoodGenerate); });
  LoadJob job = job_for(server);
  job.concurrency = 4;
  job.warmup_requests = 6;
  job.requests = 20;
  const LoadResult result = run(job);
  ASSERT_EQ(result.requests.size(), 26U);
  std::int64_t warm_end = 0;
  for (int i = 0; i < 26; ++i) {
    const RequestRecord& record = result.requests[static_cast<std::size_t>(i)];
    EXPECT_EQ(record.seq, i);
    EXPECT_EQ(record.warmup, i < 6);
    EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
    if (record.warmup) {
      warm_end = std::max(warm_end, record.t_end_ns);
    } else {
      EXPECT_GE(record.t_start_ns, warm_end);
    }
  }
  EXPECT_EQ(result.peak_in_flight, 4);
  EXPECT_GE(result.window_begin_ns, warm_end);
  EXPECT_LE(result.window_begin_ns, result.steady_begin_ns);
  EXPECT_LT(result.steady_begin_ns, result.steady_end_ns);
  EXPECT_GT(result.window_end_ns, result.window_begin_ns);
}

TEST(LoadJob, SendsTheRenderedBodiesInOrder) {
  ScriptedServer server([](const ScriptedRequest&) { return stream_answer(kGoodGenerate); });
  LoadJob job = job_for(server);
  job.requests = 3;
  run(job);
  const auto bodies = render_bodies(job);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(requests[i].body, bodies[i]);
    EXPECT_EQ(requests[i].path, "/generate");
  }
}

TEST(LoadJob, StopsWhatIsInFlightAndStartsNothingMore) {
  std::atomic<bool> stop{false};
  ScriptedServer server([&](const ScriptedRequest&) {
    stop = true;
    return ScriptedAnswer{};
  });
  LoadJob job = job_for(server);
  job.requests = 5;
  const auto result = run_load(job, stop);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(server.requests().size(), 1U);
  for (const RequestRecord& record : result.value().requests) {
    EXPECT_EQ(record.status, RequestStatus::kCancelled);
  }
}

TEST(LoadJob, AServerThatSendsDeltasGivesNoDigestRatherThanAWrongOne) {
  const RequestRecord record =
      one(stream_answer({generate_event("alpha", 1), generate_event("b", 2),
                         generate_event("c", 3, kLength), kDone}));
  EXPECT_EQ(record.status, RequestStatus::kOk) << record.error;
  EXPECT_EQ(record.output_sha256, "");
}

TEST(LoadJob, RefusesAJobThatCannotRun) {
  const std::atomic<bool> stop{false};
  LoadJob job;
  job.concurrency = 0;
  const auto none = run_load(job, stop);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(none.error().message, HasSubstr("concurrency is 0"));
  job.concurrency = 100'000'000;
  const auto many = run_load(job, stop);
  ASSERT_FALSE(many.ok());
  EXPECT_THAT(many.error().message, HasSubstr("file descriptors"));
}

TEST(ProbeRequest, IsEmptyOnSuccessAndSaysWhyElse) {
  ScriptedServer good([](const ScriptedRequest& request) {
    EXPECT_THAT(request.body, HasSubstr("\"max_new_tokens\":4"));
    return stream_answer({generate_event("a b c d", 4, kLength), kDone});
  });
  EXPECT_EQ(probe_request(good.url(), LoadApi::kGenerate, "m", Seconds(10)), "");
  ScriptedServer bad([](const ScriptedRequest&) { return plain_answer(503, "no workers"); });
  EXPECT_THAT(probe_request(bad.url(), LoadApi::kGenerate, "m", Seconds(10)),
              HasSubstr("HTTP 503: no workers"));
}

}  // namespace
}  // namespace sglexp
