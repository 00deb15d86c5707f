// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>

namespace sglexp {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return parts;
    }
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      out += separator;
    }
    out += parts[i];
  }
  return out;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

// Length of the valid UTF-8 sequence at the front of `text`, 0 where it is not valid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : (lead & 0xF0) == 0xE0       ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    // C1 controls (U+0080..U+009F) are escapes too on some terminals.
    const bool control =
        length == 1 ? (lead < 0x20 || lead == 0x7F)
                    : length == 2 && lead == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    const std::string_view piece =
        length == 0 || control ? std::string_view("?") : text.substr(0, length);
    if (out.size() + piece.size() > max_bytes) {
      return out + "...";
    }
    out += lead == '\t' ? std::string_view(" ") : piece;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view kSafe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,@%+";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string format_ranges(std::span<const int> sorted) {
  std::string out;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end + 1 < sorted.size() && sorted[end + 1] == sorted[end] + 1) {
      ++end;
    }
    out += (out.empty() ? "" : ",") + std::to_string(sorted[i]);
    if (end > i) {
      out += "-" + std::to_string(sorted[end]);
    }
    i = end + 1;
  }
  return out;
}

std::optional<std::vector<int>> parse_ranges(std::string_view text) {
  constexpr int kMost = 1 << 20;  // bounds what a hostile "0-2000000000" can allocate
  std::vector<int> out;
  if (trim(text).empty()) {
    return out;
  }
  for (const std::string& part : split(trim(text), ',')) {
    const char* const end = part.data() + part.size();
    int low = 0;
    auto [after_low, low_error] = std::from_chars(part.data(), end, low);
    int high = low;
    if (low_error == std::errc{} && after_low != end && *after_low == '-') {
      auto [after_high, high_error] = std::from_chars(after_low + 1, end, high);
      low_error = high_error;
      after_low = after_high;
    }
    if (low_error != std::errc{} || after_low != end || low < 0 || high < low || high >= kMost) {
      return std::nullopt;
    }
    for (int i = low; i <= high; ++i) {
      out.push_back(i);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace sglexp
