// SPDX-License-Identifier: Apache-2.0
// Text with units <-> numbers. Files and flags always write the unit; a bare number is refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace sglexp {

using Nanos = std::chrono::nanoseconds;
using Micros = std::chrono::microseconds;
using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

// "250ms", "1.5s", "20m", "2h", "1d", "10us". kInvalidInput names the accepted units.
[[nodiscard]] Result<Nanos> parse_duration(std::string_view text);
// "256GiB", "16MiB", "4KiB", "512B" (powers of 1024; "GB" is refused with a hint). Bytes.
[[nodiscard]] Result<std::int64_t> parse_size(std::string_view text);
// "3%" -> 0.03.
[[nodiscard]] Result<double> parse_percent(std::string_view text);

// Shortest exact form with one unit: 90s -> "90s", 3600s -> "1h", 1500ms -> "1500ms".
[[nodiscard]] std::string format_duration(Nanos duration);
// For people: "1.2 s", "350 ms", "2 h 05 min".
[[nodiscard]] std::string describe_duration(Nanos duration);
// "256GiB" where exact, else bytes with B.
[[nodiscard]] std::string format_size(std::int64_t bytes);

}  // namespace sglexp
