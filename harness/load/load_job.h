// SPDX-License-Identifier: Apache-2.0
// One load point against one endpoint: what to send, and what came back.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/record/request.h"
#include "harness/record/trial.h"

namespace sglexp {

enum class LoadApi { kGenerate, kCompletions, kChat };

struct LoadJob {
  std::string url;  // base, "http://127.0.64.1:20010"
  LoadApi api = LoadApi::kGenerate;
  std::string model;        // required by routers on /v1/*
  int concurrency = 1;      // closed loop: streams in flight
  int requests = 1;         // measured
  int warmup_requests = 0;  // before them, distinct prompts, marked and excluded
  int input_tokens = 128;   // about: text prompts of this many words
  int output_tokens = 64;   // exactly: ignore_eos
  std::uint64_t prompt_seed = 1;
  Nanos connect_timeout = Seconds(5);
  Nanos first_token_timeout{0};  // 0 = none
  Nanos gap_timeout{0};
  Nanos request_timeout{0};
};

// How well the client itself did; a client that could not keep up makes the trial invalid.
struct ClientHealth {
  double cpu_share = 0;          // CPU seconds of the load thread / wall seconds, measured part
  std::int64_t loop_p99_ns = 0;  // epoll return -> last ready descriptor handled
  std::int64_t loop_max_ns = 0;
  double coalesced_share = 0;  // token events that shared one read with an earlier one
  std::string invalid_reason;  // empty: the numbers can be trusted
};

struct LoadResult {
  std::vector<RequestRecord> requests;  // by seq; warm-up first
  std::int64_t window_begin_ns = 0;     // measured part: first start .. last token
  std::int64_t window_end_ns = 0;
  std::int64_t steady_begin_ns = 0;  // target concurrency first reached .. first left
  std::int64_t steady_end_ns = 0;
  int peak_in_flight = 0;
  ClientHealth client;
};

// Runs the job on the calling thread until done or until `stop` is true (then the requests in
// flight are kCancelled). Server failures are in the records; an Error means that the client
// itself could not work.
[[nodiscard]] Result<LoadResult> run_load(const LoadJob& job, const std::atomic<bool>& stop);

// The request bodies of a job, in seq order (warm-up first): a pure function of the job, so two
// arms of a block send byte-identical work.
[[nodiscard]] std::vector<std::string> render_bodies(const LoadJob& job);

// Metrics of the measured part, each with unit, direction and n; one without enough samples has no
// value and says why. Definitions: load/metrics.h.
struct LoadSummary {
  std::vector<MetricValue> metrics;
  std::vector<HistogramBlob> histograms;  // ttft, itl, e2e; nanoseconds
  int failed = 0;                         // every request that did not succeed, warm-up included
  std::string first_failure;              // "request 12: in_band_error: ..."
  std::string output_digest;  // of the measured outputs in seq order; empty unless all are there
};
[[nodiscard]] LoadSummary summarize(const LoadJob& job, const LoadResult& result);

}  // namespace sglexp
