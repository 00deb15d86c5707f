// SPDX-License-Identifier: Apache-2.0
#include "harness/load/metrics.h"

#include "harness/stats/quantiles.h"

namespace sglexp {

std::optional<double> ttft_ns(const RequestRecord& record) {
  if (record.t_first_ns < 0 || record.t_sched_ns < 0) {
    return std::nullopt;
  }
  return static_cast<double>(record.t_first_ns - record.t_sched_ns);
}

std::optional<double> e2e_ns(const RequestRecord& record) {
  if (record.t_last_ns < 0 || record.t_sched_ns < 0) {
    return std::nullopt;
  }
  return static_cast<double>(record.t_last_ns - record.t_sched_ns);
}

bool tokens_known_per_event(const RequestRecord& record) {
  return !record.events.empty() && record.events.back().tokens == record.output_tokens;
}

std::optional<double> tpot_ns(const RequestRecord& record) {
  if (!tokens_known_per_event(record)) {
    return std::nullopt;
  }
  // n - 1 would be wrong where the first event brings several tokens at once.
  const std::int32_t later = record.output_tokens - record.events.front().tokens;
  if (later <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(record.t_last_ns - record.t_first_ns) / later;
}

void append_itl_ns(const RequestRecord& record, std::vector<double>& samples) {
  if (!tokens_known_per_event(record)) {
    return;
  }
  for (std::size_t i = 1; i < record.events.size(); ++i) {
    const TokenEvent& before = record.events[i - 1];
    const TokenEvent& event = record.events[i];
    const int tokens = event.tokens - before.tokens;
    samples.insert(samples.end(), static_cast<std::size_t>(tokens),
                   static_cast<double>(event.t_ns - before.t_ns) / tokens);
  }
}

void append_icl_ns(const RequestRecord& record, std::vector<double>& samples) {
  for (std::size_t i = 1; i < record.events.size(); ++i) {
    samples.push_back(static_cast<double>(record.events[i].t_ns - record.events[i - 1].t_ns));
  }
}

std::int64_t tokens_between(const RequestRecord& record, std::int64_t begin_ns,
                            std::int64_t end_ns) {
  std::int64_t sum = 0;
  std::int32_t before = 0;
  for (const TokenEvent& event : record.events) {
    if (event.t_ns > begin_ns && event.t_ns <= end_ns) {
      sum += event.tokens - before;
    }
    before = event.tokens;
  }
  return sum;
}

std::optional<double> median_itl_ns(std::span<const RequestRecord> records) {
  std::vector<double> samples;
  for (const RequestRecord& record : records) {
    if (!record.warmup && record.status == RequestStatus::kOk) {
      append_itl_ns(record, samples);
    }
  }
  return median(samples);
}

}  // namespace sglexp
