// SPDX-License-Identifier: Apache-2.0
#include "harness/store/request_rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/store/itl_codec.h"
#include "harness/store/keys.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

std::optional<std::int64_t> moment_us(std::int64_t ns) {
  return ns < 0 ? std::nullopt : std::optional(ns / 1000);
}

std::optional<int> count_or_null(int count) {
  return count < 0 ? std::nullopt : std::optional(count);
}

// Value of each lower-case hex digit, -1 for every other byte.
constexpr std::array<int, 256> kHexDigits = [] {
  std::array<int, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < 16; ++i) {
    table[static_cast<unsigned char>("0123456789abcdef"[i])] = static_cast<int>(i);
  }
  return table;
}();

// The 32 bytes of a digest: half the size of its text, which counts at a million rows.
Result<std::string> digest_bytes(const RequestRecord& request) {
  const std::string& hex = request.output_sha256;
  std::string out(hex.size() / 2, '\0');
  bool valid = hex.size() % 2 == 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = kHexDigits[static_cast<unsigned char>(hex[2 * i])];
    const int low = kHexDigits[static_cast<unsigned char>(hex[2 * i + 1])];
    valid = valid && high >= 0 && low >= 0;
    out[i] = static_cast<char>(high * 16 + low);
  }
  if (!valid) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("request {}: output_sha256 is not hex", request.seq)};
  }
  return out;
}

std::optional<Blob> blob_or_null(const std::string& bytes) {
  return bytes.empty() ? std::nullopt : std::optional(Blob{bytes});
}

Status write_request(Statement& insert, std::int64_t trial_id, const RequestRecord& r,
                     ItlDetail detail) {
  SGLEXP_TRY(const std::string digest, digest_bytes(r));
  const GapSummary gaps = summarize_gaps(r.events);
  const bool raw = detail == ItlDetail::kRaw && !r.events.empty();
  const std::string itl =
      raw ? encode_itl(r.events, r.t_first_ns).value_or(std::string()) : std::string();
  return insert.run(trial_id, r.seq, r.warmup ? "warmup" : "measured", moment_us(r.t_sched_ns),
                    moment_us(r.t_start_ns), moment_us(r.t_sent_ns), moment_us(r.t_headers_ns),
                    moment_us(r.t_first_ns), moment_us(r.t_last_ns), moment_us(r.t_end_ns),
                    count_or_null(r.input_tokens), r.output_tokens, count_or_null(r.cached_tokens),
                    r.http_status, request_status_name(r.status), text_or_null(r.finish_reason),
                    text_or_null(r.error), blob_or_null(digest), gaps.n, gaps.p50_us, gaps.max_us,
                    blob_or_null(itl));
}

}  // namespace

GapSummary summarize_gaps(std::span<const TokenEvent> events) {
  if (events.size() < 2) {
    return {};
  }
  std::vector<std::int64_t> gaps;
  gaps.reserve(events.size() - 1);
  for (std::size_t i = 1; i < events.size(); ++i) {
    gaps.push_back((events[i].t_ns - events[i - 1].t_ns) / 1000);
  }
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const std::int64_t p50 = *middle;
  return {static_cast<std::int64_t>(gaps.size()), p50, *std::max_element(gaps.begin(), gaps.end())};
}

Status write_requests(Database& database, std::int64_t trial_id,
                      std::span<const RequestRecord> requests, ItlDetail detail) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(
                 database,
                 "INSERT INTO request(trial_id, seq, phase, sched_us, start_us, sent_us, "
                 "headers_us, first_us, last_us, end_us, in_tok, out_tok, cached_tok, http_status, "
                 "status, finish, error, output_sha256, gap_n, gap_p50_us, gap_max_us, itl_blob) "
                 "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
                 "?17, ?18, ?19, ?20, ?21, ?22)"));
  for (const RequestRecord& request : requests) {
    SGLEXP_CHECK(write_request(insert, trial_id, request, detail));
  }
  return Ok{};
}

Result<std::vector<RequestCount>> select_request_counts(Database& database,
                                                        std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement rows,
             Statement::prepare(
                 database,
                 "SELECT arm.name, load_point, phase = 'warmup', request.status, count(*) FROM arm "
                 "JOIN trial ON arm_id = arm.id JOIN request ON trial_id = trial.id WHERE "
                 "run_id = ?1 GROUP BY arm.id, load_point, phase, request.status "
                 "ORDER BY arm.id, load_point, phase, request.status"));
  std::vector<RequestCount> out;
  const auto read = [&]() -> Status {
    const std::optional<RequestStatus> status = parse_request_status(rows.text(3));
    if (!status) {
      return Error{ErrorCode::kInvalidInput, "a stored request has an unknown status"};
    }
    out.push_back({rows.text(0), rows.text(1), rows.flag(2), *status, rows.integer(4)});
    return Ok{};
  };
  SGLEXP_CHECK(rows.start(run).each(read));
  return out;
}

}  // namespace sglexp
