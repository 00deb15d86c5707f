// SPDX-License-Identifier: Apache-2.0
#include "harness/load/event_decoder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/http/sse_parser.h"

namespace sglexp {
namespace {

// Decodes events with the padding that the parser of server-sent events leaves behind them.
class Decoding {
 public:
  explicit Decoding(LoadApi api) : decoder_(api) {}
  bool ok(std::string_view data) {
    bytes_ = std::string(data) + std::string(SseParser::kPadding, '}');
    return decoder_.decode(std::string_view(bytes_).substr(0, data.size()), event_);
  }
  const DecodedEvent& event() const { return event_; }

 private:
  EventDecoder decoder_;
  DecodedEvent event_;
  std::string bytes_;
};

TEST(EventDecoder, ReadsGenerateEventsWithoutCopyingCumulativeText) {
  Decoding decode(LoadApi::kGenerate);
  ASSERT_TRUE(decode.ok(R"({"text":" Paris is","output_ids":[1,2],"meta_info":{"id":"a",)"
                        R"("finish_reason":null,"prompt_tokens":7,"weight_version":"default",)"
                        R"("completion_tokens":2,"cached_tokens":1}})"));
  EXPECT_EQ(decode.event().completion_tokens, 2);
  EXPECT_EQ(decode.event().prompt_tokens, 7);
  EXPECT_EQ(decode.event().cached_tokens, 1);
  EXPECT_TRUE(decode.event().has_output);
  EXPECT_EQ(decode.event().text, "");
  EXPECT_EQ(decode.event().text_bytes, std::string_view("\" Paris is\"").size());
  EXPECT_TRUE(decode.event().finish_reason.empty());
}

TEST(EventDecoder, ReadsTheWholeTextOfTheLastGenerateEvent) {
  Decoding decode(LoadApi::kGenerate);
  ASSERT_TRUE(decode.ok(R"({"text":"caf\u00e9 \"x\"\n","meta_info":{"completion_tokens":4,)"
                        R"("finish_reason":{"type":"length","length":4},"e2e_latency":0.25}})"));
  EXPECT_EQ(decode.event().finish_reason, "length");
  EXPECT_EQ(decode.event().text, "caf\xC3\xA9 \"x\"\n");
  ASSERT_TRUE(decode.ok(R"({"meta_info":{"completion_tokens":4,"finish_reason":{"type":"stop",)"
                        R"("matched":2}},"text":"after"})"));
  EXPECT_EQ(decode.event().finish_reason, "stop");
  EXPECT_EQ(decode.event().text, "after");
}

TEST(EventDecoder, SeesAnAbortAsAnErrorWithItsMessage) {
  Decoding decode(LoadApi::kGenerate);
  ASSERT_TRUE(decode.ok(R"({"text":"","meta_info":{"finish_reason":{"type":"abort",)"
                        R"("message":"Abort in waiting queue","status_code":503,"err_type":null},)"
                        R"("completion_tokens":0}})"));
  EXPECT_TRUE(decode.event().failed);
  EXPECT_EQ(decode.event().error, "Abort in waiting queue");
  EXPECT_EQ(decode.event().finish_reason, "abort");
}

TEST(EventDecoder, ReadsEveryShapeOfError) {
  for (const LoadApi api : {LoadApi::kGenerate, LoadApi::kCompletions, LoadApi::kChat}) {
    Decoding decode(api);
    for (const char* data :
         {R"({"error":{"message":"boom","code":400,"retryable":false}})", R"({"error":"boom"})",
          R"({"object":"error","message":"boom","type":"503","param":null,"code":503})",
          R"({"message":"boom","object":"error"})"}) {
      ASSERT_TRUE(decode.ok(data)) << data;
      EXPECT_TRUE(decode.event().failed) << data;
      EXPECT_EQ(decode.event().error, "boom") << data;
    }
  }
}

TEST(EventDecoder, ReadsCompletionsWithAndWithoutUsage) {
  Decoding decode(LoadApi::kCompletions);
  ASSERT_TRUE(decode.ok(R"({"id":"c","object":"text_completion","choices":[{"index":0,"text":" a",)"
                        R"("logprobs":null,"finish_reason":null,"matched_stop":null}],)"
                        R"("usage":{"prompt_tokens":5,"total_tokens":8,"completion_tokens":3,)"
                        R"("prompt_tokens_details":{"cached_tokens":2}}})"));
  EXPECT_EQ(decode.event().text, " a");
  EXPECT_EQ(decode.event().completion_tokens, 3);
  EXPECT_EQ(decode.event().prompt_tokens, 5);
  EXPECT_EQ(decode.event().cached_tokens, 2);
  EXPECT_TRUE(decode.event().has_choices);

  ASSERT_TRUE(decode.ok(R"({"choices":[{"text":"b","finish_reason":"length"}],"usage":null})"));
  EXPECT_EQ(decode.event().completion_tokens, -1);
  EXPECT_EQ(decode.event().finish_reason, "length");
  EXPECT_TRUE(decode.event().has_output);
}

TEST(EventDecoder, AcceptsAUsageOnlyEventWithoutChoices) {
  Decoding decode(LoadApi::kChat);
  ASSERT_TRUE(decode.ok(R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":64,)"
                        R"("prompt_tokens_details":null}})"));
  EXPECT_FALSE(decode.event().has_choices);
  EXPECT_FALSE(decode.event().has_output);
  EXPECT_EQ(decode.event().completion_tokens, 64);
}

TEST(EventDecoder, TellsRoleContentAndReasoningOfAChatApart) {
  Decoding decode(LoadApi::kChat);
  ASSERT_TRUE(decode.ok(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"",)"
                        R"("reasoning_content":null,"tool_calls":null},"finish_reason":null}]})"));
  EXPECT_FALSE(decode.event().has_output);
  ASSERT_TRUE(decode.ok(R"({"choices":[{"delta":{"reasoning_content":"hm","content":null}}]})"));
  EXPECT_TRUE(decode.event().has_output);
  EXPECT_EQ(decode.event().text, "hm");
  ASSERT_TRUE(decode.ok(R"({"choices":[{"delta":{"content":"yes"}}]})"));
  EXPECT_EQ(decode.event().text, "yes");
  ASSERT_TRUE(decode.ok(R"({"choices":[{"delta":{"tool_calls":[{"index":0}]}}]})"));
  EXPECT_TRUE(decode.event().has_output);
}

TEST(EventDecoder, RecognisesTheEnd) {
  Decoding decode(LoadApi::kGenerate);
  ASSERT_TRUE(decode.ok("[DONE]"));
  EXPECT_TRUE(decode.event().done);
}

TEST(EventDecoder, RefusesWhatIsNoEventOfTheApi) {
  for (const LoadApi api : {LoadApi::kGenerate, LoadApi::kCompletions, LoadApi::kChat}) {
    Decoding decode(api);
    for (const char* data :
         {"", "hello", "{", "[1]", "null", "3", "{}", "{\"a\":1}", R"({"choices":{}})",
          R"({"meta_info":[]})", R"({"meta_info":{"completion_tokens":"3"}})",
          R"({"meta_info":{"completion_tokens":-3}})", R"({"usage":{"completion_tokens":1e99}})",
          R"({"choices":[3]})", R"({"choices":[{"text":"a"}]} trailing)",
          R"({"meta_info":{"completion_tokens":3}} trailing)", R"({"choices":[{"text":"a"}])"}) {
      EXPECT_FALSE(decode.ok(data)) << data;
    }
  }
}

TEST(EventDecoder, EveryCutOfAnEventIsRefusedAndDoesNotHurt) {
  const std::string whole =
      R"({"text":"a\u00e9b","meta_info":{"finish_reason":{"type":"length","length":4},)"
      R"("completion_tokens":4,"prompt_tokens":7}})";
  Decoding decode(LoadApi::kGenerate);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode.ok(whole.substr(0, size))) << size;
  }
  EXPECT_TRUE(decode.ok(whole));
}

}  // namespace
}  // namespace sglexp
