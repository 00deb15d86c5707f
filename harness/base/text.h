// SPDX-License-Identifier: Apache-2.0
// Small pure functions on text that several rooms need.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

// The candidate nearest to `word` by edit distance, if near enough to be a likely misspelling.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

// Text of unknown origin made safe for one terminal line: control bytes and escapes become '?',
// invalid UTF-8 becomes '?', and anything beyond max_bytes is cut with "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 400);

// Quotes for POSIX sh so that the word stays one word whatever it holds.
[[nodiscard]] std::string shell_quote(std::string_view word);

// "0-3,8" for {0,1,2,3,8}; the input must be sorted.
[[nodiscard]] std::string format_ranges(std::span<const int> sorted);
// The reverse; std::nullopt where the text is not such a list. Result is sorted, without repeats.
[[nodiscard]] std::optional<std::vector<int>> parse_ranges(std::string_view text);

}  // namespace sglexp
