// SPDX-License-Identifier: Apache-2.0
// What happened to one request. Times are nanoseconds from the trial's origin (CLOCK_MONOTONIC at
// the start of the trial); -1 means that the moment was never reached. TTFT, ITL, TPOT and E2E are
// derived in load/metrics.h and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

enum class RequestStatus {
  kOk,           // HTTP 200, [DONE], no error, a finish reason, and the tokens asked for
  kConnect,      // no connection
  kHttpStatus,   // status other than 200
  kInBandError,  // HTTP 200, then an error object or finish_reason "abort"
  kParse,        // an event that is not what the protocol says
  kTruncated,    // the stream ended without [DONE] or finish reason
  kTimeout,      // connect, first token, gap or total
  kWrongLength,  // finished with fewer or more tokens than asked (ignore_eos)
  kCancelled,    // stopped by us
};
[[nodiscard]] std::string_view request_status_name(RequestStatus status);
[[nodiscard]] std::optional<RequestStatus> parse_request_status(std::string_view name);

struct TokenEvent {
  std::int64_t t_ns = 0;    // when the bytes arrived, taken before parsing
  std::int32_t tokens = 0;  // cumulative completion tokens by the server's own count
};

struct RequestRecord {
  std::int32_t seq = 0;
  bool warmup = false;
  std::int64_t t_sched_ns = -1;    // intended start; = t_start_ns in closed loop
  std::int64_t t_start_ns = -1;    // taken up by a client slot
  std::int64_t t_sent_ns = -1;     // last byte of the body handed to the kernel
  std::int64_t t_headers_ns = -1;  // status line seen
  std::int64_t t_first_ns = -1;    // first event that carries a token
  std::int64_t t_last_ns = -1;     // last event that carries a token
  std::int64_t t_end_ns = -1;      // end of the stream
  std::int32_t input_tokens = -1;  // server's count, -1 unknown
  std::int32_t output_tokens = 0;  // server's count; also of failed streams
  std::int32_t cached_tokens = -1;
  std::int32_t http_status = 0;
  RequestStatus status = RequestStatus::kTruncated;
  std::string finish_reason;       // "length", "stop", "abort"
  std::string error;               // first 300 bytes of the server's or transport's text
  std::string output_sha256;       // of the whole output text: greedy runs must agree
  std::vector<TokenEvent> events;  // every event that carried tokens
};

}  // namespace sglexp
