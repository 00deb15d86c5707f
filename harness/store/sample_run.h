// SPDX-License-Identifier: Apache-2.0
// Records for the tests of this module: a small run with every field set to something of its own.
#pragma once

#include <string>
#include <vector>

#include "harness/record/check.h"
#include "harness/record/request.h"
#include "harness/record/run_info.h"
#include "harness/record/trial.h"
#include "harness/store/store.h"

namespace sglexp {

inline RunInfo sample_run(const std::string& uuid = "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa") {
  return {.uuid = uuid,
          .token = "tok-" + uuid.substr(0, 4),
          .scenario = "numa_compare",
          .cluster = "mock",
          .started_utc = "2026-11-30T21:00:00.000Z",
          .run_dir = "/runs/" + uuid,
          .spec_json = R"({"scenario":"numa_compare"})",
          .spec_hash = "spec-1",
          .seed = 0xFFFFFFFFFFFFFFFEULL,
          .tool_version = "0.1.0",
          .simulated = true,
          .simulated_why = "mock scheduler",
          .arms = {{"same_numa", true, R"({"placement":"same"})", "key-1"},
                   {"cross_numa", false, R"({"placement":"cross"})", "key-1"}},
          .metrics = {{"output_tok_s", "tok/s", "higher", "rate", 0.03, true},
                      {"ttft_p50_ms", "ms", "lower", "level", std::nullopt, false}}};
}

inline Failure sample_failure() {
  return {.outcome = Outcome::kStartup,
          .what = "worker w1 exited",
          .node = "n2",
          .phase = "launch",
          .cause = "address already in use",
          .evidence = "[Errno 98] '); DROP TABLE run; --",
          .remedy = "free port 20010",
          .files = "/runs/x/logs"};
}

inline TrialRecord sample_trial(const std::string& arm = "same_numa", int block = 0, int slot = 0,
                                const std::string& load_point = "c16") {
  return {
      .key = {arm, block, slot, load_point, 0},
      .job_id = "1001",
      .started_utc = "2026-11-30T21:01:00.000Z",
      .warmup_s = 1.5,
      .measured_s = 10.25,
      .status = TrialStatus::kOk,
      .outcome = Outcome::kPassed,
      .metrics = {{"output_tok_s", "tok/s", Direction::kHigherIsBetter, 1234.5678901234567, 64, ""},
                  {"ttft_p50_ms", "ms", Direction::kLowerIsBetter, std::nullopt, 0, "no samples"}},
      .histograms = {{"ttft", "loglin64/1", 64, std::string("\0\1\xff", 3)}},
      .placement = {{.role = "worker",
                     .name = "w0",
                     .rank = 1,
                     .node = "n1",
                     .gpu_index = 5,
                     .gpu_pci = "0000:85:00.0",
                     .gpu_numa = 1,
                     .cpus = "64-95",
                     .mem_nodes = "1",
                     .port = 20010,
                     .observed_cpus = "64-95",
                     .observed_gpus = "0000:85:00.0",
                     .simulated_binding = true},
                    {.role = "router", .name = "router", .node = "n1", .cpus = "0-1"}},
      .output_digest = "d1",
      .requests_file = "trials/r.ndjson",
      .server_info_json = R"({"version":"0.5.6"})"};
}

inline RequestRecord sample_request(int seq) {
  return {.seq = seq,
          .warmup = seq == 0,
          .t_sched_ns = 1'000'000,
          .t_start_ns = 1'000'000,
          .t_sent_ns = 1'100'000,
          .t_headers_ns = 5'000'000,
          .t_first_ns = 20'000'000,
          .t_last_ns = 60'000'000,
          .t_end_ns = 60'500'000,
          .input_tokens = 128,
          .output_tokens = 3,
          .http_status = 200,
          .status = RequestStatus::kOk,
          .finish_reason = "length",
          .output_sha256 = std::string(64, 'a'),
          .events = {{20'000'000, 1}, {40'000'500, 2}, {60'000'000, 3}}};
}

inline std::vector<RequestRecord> sample_requests(int count) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(sample_request(i));
  }
  return out;
}

}  // namespace sglexp
