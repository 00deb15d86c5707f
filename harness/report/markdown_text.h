// SPDX-License-Identifier: Apache-2.0
// Text of unknown origin in GitHub-flavoured Markdown, and a document that never grows too large.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

// Prose: every character that could begin markup, a table cell, HTML, a link or a mention becomes
// an entity; control bytes become '?'.
[[nodiscard]] std::string markdown_text(std::string_view text, std::size_t max_bytes = 400);
// Inline code that shows exactly this text (control bytes '?'), safe in a table cell; "" for blanks.
[[nodiscard]] std::string markdown_code(std::string_view text, std::size_t max_bytes = 200);
// A fenced block whose fence the text cannot close. Its lines stay lines.
[[nodiscard]] std::string markdown_block(std::string_view text, std::size_t max_bytes = 4000);

// Collects lines and tables up to max_bytes. What does not fit is left out, row by row, and counted
// in a note at the end.
class MarkdownDocument {
 public:
  explicit MarkdownDocument(std::size_t max_bytes);
  // A paragraph or heading, with an empty line behind it. Already escaped.
  void paragraph(const std::string& text);
  // Cells already escaped. Nothing where there are no rows.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  // Folds what follows, up to end_details(), under one line.
  void begin_details(const std::string& summary);
  void end_details();
  [[nodiscard]] std::string finish() const;

 private:
  bool add(const std::string& text);

  std::size_t max_bytes_;
  std::string text_;
  std::size_t left_out_ = 0;
  bool details_open_ = false;
};

}  // namespace sglexp
