// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/digest.h"
#include "harness/load/load_job.h"
#include "harness/load/metrics.h"
#include "harness/stats/histogram.h"
#include "harness/stats/quantiles.h"

namespace sglexp {

namespace {

constexpr std::string_view kNoSuccess = "no measured request succeeded";
constexpr std::string_view kNoTokenCounts =
    "the server did not count tokens per event (no continuous usage)";

// The latencies of the successful measured requests, ascending, in nanoseconds.
struct Samples {
  std::vector<double> ttft, itl, icl, tpot, e2e;
  int ok = 0;
  bool counted_per_event = true;  // of all of them
};

void keep(const std::optional<double>& value, std::vector<double>& samples) {
  if (value) {
    samples.push_back(*value);
  }
}

Samples collect_samples(const LoadResult& result) {
  Samples samples;
  for (const RequestRecord& record : result.requests) {
    if (record.warmup || record.status != RequestStatus::kOk) {
      continue;
    }
    ++samples.ok;
    keep(ttft_ns(record), samples.ttft);
    keep(e2e_ns(record), samples.e2e);
    keep(tpot_ns(record), samples.tpot);
    append_itl_ns(record, samples.itl);
    append_icl_ns(record, samples.icl);
    samples.counted_per_event = samples.counted_per_event && tokens_known_per_event(record);
  }
  for (auto* list : {&samples.ttft, &samples.itl, &samples.icl, &samples.tpot, &samples.e2e}) {
    std::sort(list->begin(), list->end());
  }
  return samples;
}

struct Tokens {
  std::int64_t output = 0;  // of all measured requests, failed ones too
  std::int64_t steady = 0;  // within the steady window
  std::int64_t input = 0;
  bool input_known = true;  // for every request that has output
  bool steady_known = true;
};

Tokens count_tokens(const LoadResult& result) {
  Tokens tokens;
  for (const RequestRecord& record : result.requests) {
    if (record.warmup || record.output_tokens == 0) {
      continue;
    }
    tokens.output += record.output_tokens;
    tokens.steady += tokens_between(record, result.steady_begin_ns, result.steady_end_ns);
    tokens.steady_known = tokens.steady_known && tokens_known_per_event(record);
    tokens.input_known = tokens.input_known && record.input_tokens >= 0;
    tokens.input += std::max(record.input_tokens, 0);
  }
  return tokens;
}

MetricValue metric(std::string_view name, std::string_view unit, Direction direction,
                   std::int64_t n) {
  MetricValue value;
  value.name = name;
  value.unit = unit;
  value.direction = direction;
  value.n = n;
  return value;
}

MetricValue rate(std::string_view name, std::string_view unit, std::int64_t count,
                 std::int64_t begin_ns, std::int64_t end_ns, std::string_view unknown_because) {
  MetricValue value = metric(name, unit, Direction::kHigherIsBetter, count);
  if (!unknown_because.empty()) {
    value.reason = unknown_because;
  } else if (end_ns <= begin_ns) {
    value.reason = "the window is empty";
  } else {
    value.value = static_cast<double>(count) * 1e9 / static_cast<double>(end_ns - begin_ns);
  }
  return value;
}

MetricValue latency(std::string_view name, std::span<const double> sorted_ns, double percent,
                    std::string_view empty_because) {
  const Percentile p = percentile(percent);
  MetricValue value =
      metric(name, "ms", Direction::kLowerIsBetter, static_cast<std::int64_t>(sorted_ns.size()));
  if (sorted_ns.empty()) {
    value.reason = empty_because;
  } else if (percent > 50 && percent < 100 && !quantile_supported(p, sorted_ns.size())) {
    value.reason = fmt::format("p{} needs {} samples, there are {}", percent,
                               static_cast<int>(100 / (100 - percent)), sorted_ns.size());
  } else if (const auto ns = quantile(sorted_ns, p)) {
    value.value = *ns / 1e6;
  }
  return value;
}

MetricValue fact(std::string_view name, std::string_view unit, double number, std::int64_t n,
                 Direction direction = Direction::kNone) {
  MetricValue value = metric(name, unit, direction, n);
  value.value = number;
  return value;
}

HistogramBlob histogram(std::string_view name, std::span<const double> samples_ns) {
  Histogram counts;
  for (const double ns : samples_ns) {
    counts.add(static_cast<std::uint64_t>(std::max(ns, 0.0)));
  }
  HistogramBlob blob;
  blob.name = name;
  blob.codec = kHistogramCodec;
  blob.total = static_cast<std::int64_t>(counts.total());
  blob.bytes = counts.serialize();
  return blob;
}

void add_throughput(const LoadResult& result, const Samples& samples,
                    std::vector<MetricValue>& metrics) {
  const Tokens tokens = count_tokens(result);
  const std::int64_t begin = result.window_begin_ns;
  const std::int64_t end = result.window_end_ns;
  const std::string_view no_input =
      tokens.input_known ? "" : "the server did not count prompt tokens";
  metrics.push_back(rate("output_tok_s", "tok/s", tokens.output, begin, end, ""));
  metrics.push_back(rate("output_tok_s_steady", "tok/s", tokens.steady, result.steady_begin_ns,
                         result.steady_end_ns, tokens.steady_known ? "" : kNoTokenCounts));
  metrics.push_back(
      rate("total_tok_s", "tok/s", tokens.output + tokens.input, begin, end, no_input));
  metrics.push_back(rate("request_rate", "req/s", samples.ok, begin, end, ""));
}

void add_latencies(const Samples& samples, std::vector<MetricValue>& metrics) {
  // One-token answers have no gaps; a request whose tokens came in one event has no TPOT.
  const std::string_view no_gaps = samples.ok == 0              ? kNoSuccess
                                   : !samples.counted_per_event ? kNoTokenCounts
                                                                : "no answer had a second event";
  // With some requests uncounted the rest would be a biased sample, so there is no value at all.
  const bool counted = samples.counted_per_event;
  const std::span<const double> itl = counted ? samples.itl : std::span<const double>();
  const std::span<const double> tpot = counted ? samples.tpot : std::span<const double>();
  metrics.push_back(latency("ttft_p50_ms", samples.ttft, 50, kNoSuccess));
  metrics.push_back(latency("ttft_p99_ms", samples.ttft, 99, kNoSuccess));
  metrics.push_back(latency("tpot_p50_ms", tpot, 50, no_gaps));
  metrics.push_back(latency("itl_p50_ms", itl, 50, no_gaps));
  metrics.push_back(latency("itl_p99_ms", itl, 99, no_gaps));
  metrics.push_back(latency("icl_max_ms", samples.icl, 100,
                            samples.ok == 0 ? kNoSuccess : "no answer had a second event"));
  metrics.push_back(latency("e2e_p50_ms", samples.e2e, 50, kNoSuccess));
  metrics.push_back(latency("e2e_p99_ms", samples.e2e, 99, kNoSuccess));
}

void count_failures(const LoadResult& result, LoadSummary& summary) {
  for (const RequestRecord& record : result.requests) {
    if (record.status == RequestStatus::kOk) {
      continue;
    }
    ++summary.failed;
    if (summary.first_failure.empty()) {
      summary.first_failure =
          fmt::format("{}request {}: {}: {}", record.warmup ? "warm-up " : "", record.seq,
                      request_status_name(record.status), record.error);
    }
  }
}

// Empty where any output is missing: half a digest would look like a difference between outputs.
std::string digest_outputs(const LoadResult& result) {
  std::string all;
  for (const RequestRecord& record : result.requests) {
    if (record.warmup) {
      continue;
    }
    if (record.output_sha256.empty()) {
      return {};
    }
    all += record.output_sha256;
    all += '\n';
  }
  return all.empty() ? all : sha256_hex(all);
}

}  // namespace

LoadSummary summarize(const LoadJob& job, const LoadResult& result) {
  LoadSummary summary;
  const Samples samples = collect_samples(result);
  add_throughput(result, samples, summary.metrics);
  add_latencies(samples, summary.metrics);
  count_failures(result, summary);
  summary.metrics.push_back(fact("failed_requests", "1", summary.failed,
                                 job.warmup_requests + job.requests, Direction::kLowerIsBetter));
  summary.metrics.push_back(fact("client_cpu_share", "1", result.client.cpu_share, 1));
  summary.metrics.push_back(
      fact("client_loop_p99_ms", "ms", static_cast<double>(result.client.loop_p99_ns) / 1e6, 1));
  summary.histograms = {histogram("ttft", samples.ttft), histogram("itl", samples.itl),
                        histogram("e2e", samples.e2e)};
  summary.output_digest = digest_outputs(result);
  return summary;
}

}  // namespace sglexp
