// SPDX-License-Identifier: Apache-2.0
// What the moments of a request mean. These definitions hold everywhere and stand nowhere else.
//
//   ttft  t_first - t_sched   time to first token; t_sched is the start in a closed loop
//   e2e   t_last - t_sched    to the last token, not to [DONE]
//   itl   gap / k, k times    for an event that brings k tokens after a gap; never the first event
//   icl   the raw gaps        between events: shows the stalls that gap / k hides
//   tpot  (t_last - t_first) / (n - k_first)   n tokens, k_first of them in the first event
//
// Tokens are the server's count. A request that failed has no latency; its tokens do count for
// throughput, since the server made them. Percentiles: linear interpolation (Hyndman-Fan 7).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/record/request.h"

namespace sglexp {

// All in nanoseconds; empty where the moments it needs were never reached.
[[nodiscard]] std::optional<double> ttft_ns(const RequestRecord& record);
[[nodiscard]] std::optional<double> e2e_ns(const RequestRecord& record);
// Also empty where all tokens came in the first event, or where tokens_known_per_event() is false.
[[nodiscard]] std::optional<double> tpot_ns(const RequestRecord& record);

// False where the server told its count only at the end and it differs from the number of events:
// then nobody knows which event brought how many tokens, and ITL and TPOT do not exist.
[[nodiscard]] bool tokens_known_per_event(const RequestRecord& record);

// Append the samples of one request.
void append_itl_ns(const RequestRecord& record, std::vector<double>& samples);
void append_icl_ns(const RequestRecord& record, std::vector<double>& samples);

// Tokens whose event arrived in (begin, end].
[[nodiscard]] std::int64_t tokens_between(const RequestRecord& record, std::int64_t begin_ns,
                                          std::int64_t end_ns);

// Over the measured requests that succeeded.
[[nodiscard]] std::optional<double> median_itl_ns(std::span<const RequestRecord> records);

}  // namespace sglexp
