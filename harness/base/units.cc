// SPDX-License-Identifier: Apache-2.0
#include "harness/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

struct Unit {
  std::string_view suffix;
  double scale;
};

constexpr std::array kDurationUnits = {
    Unit{"ns", 1.0}, Unit{"us", 1e3},   Unit{"ms", 1e6},   Unit{"s", 1e9},
    Unit{"m", 60e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}, Unit{"d", 86400e9},
};
constexpr std::array kSizeUnits = {
    Unit{"B", 1.0},
    Unit{"KiB", 1024.0},
    Unit{"MiB", 1024.0 * 1024},
    Unit{"GiB", 1024.0 * 1024 * 1024},
    Unit{"TiB", 1024.0 * 1024 * 1024 * 1024},
};

// Splits "1.5s" into 1.5 and the scale of "s"; the product must fit in int64.
template <std::size_t N>
Result<std::int64_t> parse_scaled(std::string_view text, const std::array<Unit, N>& units,
                                  std::string_view kind, std::string_view example) {
  const std::string_view body = trim(text);
  double number = 0;
  const auto [rest, error] = std::from_chars(body.data(), body.data() + body.size(), number);
  const std::string_view suffix = trim(body.substr(static_cast<std::size_t>(rest - body.data())));
  if (error == std::errc{} && number >= 0) {
    for (const Unit& unit : units) {
      if (unit.suffix == suffix) {
        const double scaled = number * unit.scale;
        if (scaled < 9.2e18) {
          return static_cast<std::int64_t>(std::llround(scaled));
        }
      }
    }
  }
  return Error{ErrorCode::kInvalidInput,
               fmt::format("'{}' is not a {}: write a number with a unit, such as {}",
                           printable(text, 60), kind, example)};
}

}  // namespace

Result<Nanos> parse_duration(std::string_view text) {
  SGLEXP_TRY(const std::int64_t ns,
             parse_scaled(text, kDurationUnits, "duration", "250ms, 90s, 20m or 2h"));
  return Nanos(ns);
}

Result<std::int64_t> parse_size(std::string_view text) {
  return parse_scaled(text, kSizeUnits, "size", "512B, 64MiB or 256GiB (powers of 1024)");
}

Result<double> parse_percent(std::string_view text) {
  const std::string_view body = trim(text);
  double number = 0;
  const auto [rest, error] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (error == std::errc{} && std::isfinite(number) &&
      trim(body.substr(static_cast<std::size_t>(rest - body.data()))) == "%") {
    return number / 100.0;
  }
  return Error{ErrorCode::kInvalidInput,
               fmt::format("'{}' is not a percentage: write it as 3%", printable(text, 60))};
}

std::string format_duration(Nanos duration) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 6> kUnits = {{
      {3600'000'000'000, "h"},
      {60'000'000'000, "m"},
      {1'000'000'000, "s"},
      {1'000'000, "ms"},
      {1'000, "us"},
      {1, "ns"},
  }};
  const std::int64_t ns = duration.count();
  if (ns == 0) {
    return "0s";
  }
  for (const auto& [scale, suffix] : kUnits) {
    if (ns % scale == 0) {
      return fmt::format("{}{}", ns / scale, suffix);
    }
  }
  return fmt::format("{}ns", ns);
}

std::string describe_duration(Nanos duration) {
  const double seconds = static_cast<double>(duration.count()) / 1e9;
  if (seconds < 1e-3) {
    return fmt::format("{:.0f} us", seconds * 1e6);
  }
  if (seconds < 1) {
    return fmt::format("{:.0f} ms", seconds * 1e3);
  }
  if (seconds < 120) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto minutes = static_cast<std::int64_t>(std::llround(seconds / 60));
  if (minutes < 120) {
    return fmt::format("{} min", minutes);
  }
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string format_size(std::int64_t bytes) {
  for (auto unit = kSizeUnits.rbegin(); unit != kSizeUnits.rend(); ++unit) {
    const auto scale = static_cast<std::int64_t>(unit->scale);
    if (bytes != 0 && bytes % scale == 0) {
      return fmt::format("{}{}", bytes / scale, unit->suffix);
    }
  }
  return fmt::format("{}B", bytes);
}

}  // namespace sglexp
