// SPDX-License-Identifier: Apache-2.0
// Table request: one row a request, written in bulk.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/request.h"
#include "harness/store/database.h"
#include "harness/store/store.h"

namespace sglexp {

// Appends; the trial has no requests yet. Runs inside a transaction of the caller's.
[[nodiscard]] Status write_requests(Database& database, std::int64_t trial_id,
                                    std::span<const RequestRecord> requests, ItlDetail detail);
[[nodiscard]] Result<std::vector<RequestCount>> select_request_counts(Database& database,
                                                                      std::string_view run_uuid);

// Gaps between consecutive token events of one request, in whole microseconds.
struct GapSummary {
  std::int64_t n = 0;
  std::optional<std::int64_t> p50_us;  // nearest rank: the ceil(n/2)-th smallest
  std::optional<std::int64_t> max_us;
};
[[nodiscard]] GapSummary summarize_gaps(std::span<const TokenEvent> events);

}  // namespace sglexp
