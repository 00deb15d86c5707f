// SPDX-License-Identifier: Apache-2.0
#include "harness/load/load_protocol.h"

#include <gtest/gtest.h>

namespace sglexp {
namespace {

LoadJob job_of(LoadApi api) {
  LoadJob job;
  job.api = api;
  job.model = "m";
  job.output_tokens = 64;
  return job;
}

TEST(LoadProtocol, AsksGenerateWithOneTextString) {
  EXPECT_EQ(render_body(job_of(LoadApi::kGenerate), "a \"b\""),
            R"({"sampling_params":{"ignore_eos":true,"max_new_tokens":64,"temperature":0},)"
            R"("stream":true,"text":"a \"b\""})");
  EXPECT_EQ(api_path(LoadApi::kGenerate), "/generate");
}

TEST(LoadProtocol, AsksCompletionsForContinuousUsage) {
  EXPECT_EQ(render_body(job_of(LoadApi::kCompletions), "a"),
            R"({"ignore_eos":true,"max_tokens":64,"model":"m","prompt":"a","stream":true,)"
            R"("stream_options":{"continuous_usage_stats":true,"include_usage":true},)"
            R"("temperature":0})");
  EXPECT_EQ(api_path(LoadApi::kCompletions), "/v1/completions");
}

TEST(LoadProtocol, AsksChatWithOneUserMessage) {
  EXPECT_EQ(render_body(job_of(LoadApi::kChat), "a"),
            R"({"ignore_eos":true,"max_tokens":64,"messages":[{"content":"a","role":"user"}],)"
            R"("model":"m","stream":true,)"
            R"("stream_options":{"continuous_usage_stats":true,"include_usage":true},)"
            R"("temperature":0})");
  EXPECT_EQ(api_path(LoadApi::kChat), "/v1/chat/completions");
}

}  // namespace
}  // namespace sglexp
