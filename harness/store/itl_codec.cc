// SPDX-License-Identifier: Apache-2.0
#include "harness/store/itl_codec.h"

#include <limits>

namespace sglexp {

namespace {

constexpr std::int64_t kMostUs = std::numeric_limits<std::int64_t>::max() / 1000 / 4;

constexpr char kFormat = 1;
constexpr std::int64_t kNsPerUs = 1000;

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

// Takes one varint off the front; std::nullopt where it is cut short or over 63 bits.
std::optional<std::int64_t> take_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      return static_cast<std::int64_t>(value);
    }
  }
  return std::nullopt;
}

Error damaged(std::string_view why) {
  return {ErrorCode::kInvalidInput, "ITL blob: " + std::string(why)};
}

}  // namespace

std::optional<std::string> encode_itl(std::span<const TokenEvent> events, std::int64_t base_ns) {
  std::string out(1, kFormat);
  std::int64_t before_us = 0;
  std::int32_t before_tokens = 0;
  for (const TokenEvent& event : events) {
    if (event.t_ns < base_ns) {
      return std::nullopt;
    }
    const std::int64_t at_us = (event.t_ns - base_ns) / kNsPerUs;
    if (at_us < before_us || event.tokens < before_tokens) {
      return std::nullopt;
    }
    put_varint(out, static_cast<std::uint64_t>(at_us - before_us));
    put_varint(out, static_cast<std::uint64_t>(event.tokens - before_tokens));
    before_us = at_us;
    before_tokens = event.tokens;
  }
  return out;
}

Result<std::vector<TokenEvent>> decode_itl(std::string_view blob, std::int64_t base_ns) {
  if (blob.empty() || blob.front() != kFormat) {
    return damaged("unknown format (a newer sglexp may have written it)");
  }
  blob.remove_prefix(1);
  std::vector<TokenEvent> events;
  std::int64_t at_us = 0;
  std::int64_t tokens = 0;
  while (!blob.empty()) {
    const std::optional<std::int64_t> dt = take_varint(blob);
    const std::optional<std::int64_t> chunk = dt ? take_varint(blob) : std::nullopt;
    if (!chunk) {
      return damaged("cut short");
    }
    if (*dt > kMostUs - at_us || *chunk > std::numeric_limits<std::int32_t>::max() - tokens) {
      return damaged("a number is out of range");
    }
    at_us += *dt;
    tokens += *chunk;
    events.push_back({base_ns + at_us * kNsPerUs, static_cast<std::int32_t>(tokens)});
  }
  return events;
}

}  // namespace sglexp
