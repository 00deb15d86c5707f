// SPDX-License-Identifier: Apache-2.0
#include "harness/run/load_exec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/load/requests_file.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

LoadExecSpec full_spec() {
  return {.job = {.url = "http://10.0.0.1:20000",
                  .api = LoadApi::kChat,
                  .model = "m",
                  .concurrency = 3,
                  .requests = 5,
                  .warmup_requests = 2,
                  .input_tokens = 7,
                  .output_tokens = 11,
                  .prompt_seed = 0xfedcba9876543210U,
                  .connect_timeout = Millis(1),
                  .first_token_timeout = Millis(2),
                  .gap_timeout = Millis(3),
                  .request_timeout = Millis(4)},
          .cpus = {5, 6},
          .bind = false,
          .requests_file = "/r/a.requests.jsonl",
          .result_file = "/r/a.result.json"};
}

TEST(LoadExecSpec, ComesBackWhole) {
  const LoadExecSpec spec = full_spec();
  const auto back = parse_load_exec_spec(load_exec_spec_to_json(spec));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->job.url, spec.job.url);
  EXPECT_EQ(back->job.api, spec.job.api);
  EXPECT_EQ(back->job.model, spec.job.model);
  EXPECT_EQ(back->job.concurrency, spec.job.concurrency);
  EXPECT_EQ(back->job.requests, spec.job.requests);
  EXPECT_EQ(back->job.warmup_requests, spec.job.warmup_requests);
  EXPECT_EQ(back->job.input_tokens, spec.job.input_tokens);
  EXPECT_EQ(back->job.output_tokens, spec.job.output_tokens);
  EXPECT_EQ(back->job.prompt_seed, spec.job.prompt_seed);
  EXPECT_EQ(back->job.connect_timeout, spec.job.connect_timeout);
  EXPECT_EQ(back->job.first_token_timeout, spec.job.first_token_timeout);
  EXPECT_EQ(back->job.gap_timeout, spec.job.gap_timeout);
  EXPECT_EQ(back->job.request_timeout, spec.job.request_timeout);
  EXPECT_EQ(back->cpus, spec.cpus);
  EXPECT_EQ(back->bind, spec.bind);
  EXPECT_EQ(back->requests_file, spec.requests_file);
  EXPECT_EQ(back->result_file, spec.result_file);
}

TEST(LoadExecSpec, SaysWhatIsWrong) {
  const auto missing = parse_load_exec_spec(R"({"url": "http://h:1"})");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(missing.error().message, HasSubstr("load specification"));
  json unknown_api = json::parse(load_exec_spec_to_json(full_spec()));
  unknown_api["api"] = 9;
  EXPECT_FALSE(parse_load_exec_spec(unknown_api.dump()).ok());
  json words = json::parse(load_exec_spec_to_json(full_spec()));
  words["cpus"] = "0-3";
  EXPECT_FALSE(parse_load_exec_spec(words.dump()).ok());
}

TEST(LoadExec, WritesItsRecordEvenWhereEveryRequestFails) {
  const TempDir dir;
  LoadExecSpec spec = full_spec();
  spec.job.url = "http://127.0.0.1:1";  // nobody listens there
  spec.job.connect_timeout = Seconds(5);
  spec.requests_file = dir.path() + "/requests.jsonl";
  spec.result_file = dir.path() + "/result.json";
  const Status ran = load_exec(spec, std::atomic<bool>(false));
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  const auto result = read_load_exec_result(spec.result_file);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->failed, 7);  // two to warm up
  EXPECT_FALSE(result->first_failure.empty());
  EXPECT_FALSE(result->observed_cpus.empty());
  EXPECT_FALSE(result->metrics.empty());
  const auto requests = read_requests_file(spec.requests_file);
  ASSERT_TRUE(requests.ok()) << requests.error().message;
  EXPECT_EQ(requests->size(), 7U);
}

TEST(LoadExecResult, IsNeverHalfRead) {
  const TempDir dir;
  const std::string path = dir.path() + "/result.json";
  EXPECT_EQ(read_load_exec_result(path).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(write_file_atomic(path, R"({"measured": {}, "failed": 0})").ok());
  EXPECT_FALSE(read_load_exec_result(path).ok());
  ASSERT_TRUE(write_file_atomic(path, "").ok());
  EXPECT_FALSE(read_load_exec_result(path).ok());
}

}  // namespace
}  // namespace sglexp
