// SPDX-License-Identifier: Apache-2.0
#include "harness/load/requests_file.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

std::vector<RequestRecord> two_records() {
  RequestRecord ok;
  ok.seq = 0;
  ok.warmup = true;
  ok.t_sched_ns = 1;
  ok.t_start_ns = 2;
  ok.t_sent_ns = 3;
  ok.t_headers_ns = 4;
  ok.t_first_ns = 5'000'000'000;
  ok.t_last_ns = 5'010'000'000;
  ok.t_end_ns = 5'020'000'000;
  ok.input_tokens = 128;
  ok.output_tokens = 4;
  ok.cached_tokens = 0;
  ok.http_status = 200;
  ok.status = RequestStatus::kOk;
  ok.finish_reason = "length";
  ok.output_sha256 = "ab";
  ok.events = {{5'000'000'000, 1}, {5'010'000'000, 4}};
  RequestRecord failed;
  failed.seq = 1;
  failed.status = RequestStatus::kInBandError;
  failed.error = "quote \" line\nfeed";
  return {ok, failed};
}

void expect_equal(const RequestRecord& a, const RequestRecord& b) {
  EXPECT_EQ(a.seq, b.seq);
  EXPECT_EQ(a.warmup, b.warmup);
  EXPECT_EQ(a.t_sched_ns, b.t_sched_ns);
  EXPECT_EQ(a.t_start_ns, b.t_start_ns);
  EXPECT_EQ(a.t_sent_ns, b.t_sent_ns);
  EXPECT_EQ(a.t_headers_ns, b.t_headers_ns);
  EXPECT_EQ(a.t_first_ns, b.t_first_ns);
  EXPECT_EQ(a.t_last_ns, b.t_last_ns);
  EXPECT_EQ(a.t_end_ns, b.t_end_ns);
  EXPECT_EQ(a.input_tokens, b.input_tokens);
  EXPECT_EQ(a.output_tokens, b.output_tokens);
  EXPECT_EQ(a.cached_tokens, b.cached_tokens);
  EXPECT_EQ(a.http_status, b.http_status);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.finish_reason, b.finish_reason);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.output_sha256, b.output_sha256);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].t_ns, b.events[i].t_ns);
    EXPECT_EQ(a.events[i].tokens, b.events[i].tokens);
  }
}

TEST(RequestsFile, ReadsBackWhatItWrote) {
  const TempDir dir;
  const std::string path = dir.path() + "/requests.jsonl";
  ASSERT_TRUE(write_requests_file(path, two_records()).ok());
  const auto read = read_requests_file(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 2U);
  expect_equal(read.value()[0], two_records()[0]);
  expect_equal(read.value()[1], two_records()[1]);
}

TEST(RequestsFile, PutsOneRequestOnALine) {
  const std::string text = requests_to_jsonl(two_records());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("\"events\":[5000000000,1,10000000,3]"));
}

TEST(RequestsFile, ReportsACutFile) {
  const std::string text = requests_to_jsonl(two_records());
  const std::size_t last_line = text.rfind('\n', text.size() - 2) + 1;
  const auto whole_line_lost = parse_requests_jsonl(text.substr(0, last_line));
  ASSERT_FALSE(whole_line_lost.ok());
  EXPECT_THAT(whole_line_lost.error().message, HasSubstr("1 of the 2 requests"));
  const auto half_a_line = parse_requests_jsonl(text.substr(0, last_line + 10));
  ASSERT_FALSE(half_a_line.ok());
  EXPECT_THAT(half_a_line.error().message, HasSubstr("line 3"));
}

TEST(RequestsFile, RefusesOtherFilesAndUnknownWords) {
  EXPECT_FALSE(parse_requests_jsonl("").ok());
  EXPECT_FALSE(parse_requests_jsonl("{\"schema\":\"other\",\"requests\":0}\n").ok());
  std::string text = requests_to_jsonl(two_records());
  const std::string word(request_status_name(RequestStatus::kInBandError));
  text.replace(text.find(word), word.size(), "fine");
  const auto unknown = parse_requests_jsonl(text);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("line 3: unknown status \"fine\""));
}

TEST(RequestsFile, NamesTheFileThatIsMissing) {
  const auto missing = read_requests_file("/nowhere/requests.jsonl");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/requests.jsonl"));
}

}  // namespace
}  // namespace sglexp
