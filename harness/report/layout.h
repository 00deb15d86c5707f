// SPDX-License-Identifier: Apache-2.0
// Plain text in columns and lines for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

inline constexpr std::size_t kTerminalWidth = 80;

// Text of unknown origin as ASCII for one terminal line: what printable() leaves, with every
// character beyond ASCII as '?'.
[[nodiscard]] std::string ascii(std::string_view text, std::size_t max_bytes = 400);

// Breaks at blanks into lines of at most `width`; a longer word is cut. What exceeds max_lines is
// left out, and the last line then ends with "...". At least one line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width,
                                            std::size_t max_lines);

// `label` in a column of its own before the wrapped text: "cause     address already in use".
[[nodiscard]] std::string labelled(std::string_view label, std::string_view text,
                                   std::size_t max_lines);

// Columns as wide as their widest cell, two blanks apart, `indent` blanks in front.
class TextTable {
 public:
  explicit TextTable(std::size_t indent = 0) : indent_(indent) {}
  void row(std::vector<std::string> cells) { lines_.push_back({std::move(cells), ""}); }
  // A line across all columns, already laid out.
  void line(std::string text) { lines_.push_back({{}, std::move(text)}); }
  [[nodiscard]] std::string text() const;

 private:
  struct Line {
    std::vector<std::string> cells;
    std::string across;
  };
  std::size_t indent_;
  std::vector<Line> lines_;
};

}  // namespace sglexp
