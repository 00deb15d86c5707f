// SPDX-License-Identifier: Apache-2.0
#include "harness/report/markdown_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

constexpr std::string_view kAlwaysMarkup = "&<>|`*[]\\~#!$";

// For what finish() adds: the end of an open details block and the note.
constexpr std::size_t kReserve = 400;

bool word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool begins_markup(std::string_view text, std::size_t i) {
  switch (text[i]) {
    case ':':  // "https://..." becomes a link by itself
      return text.substr(i, 3) == "://";
    case '.':  // and so does "www...."
      return i >= 3 && text.substr(i - 3, 3) == "www";
    case '_':  // emphasis only at the edge of a word
      return !(i > 0 && i + 1 < text.size() && word_byte(text[i - 1]) && word_byte(text[i + 1]));
    default:
      return kAlwaysMarkup.find(text[i]) != std::string_view::npos;
  }
}

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string markdown_text(std::string_view text, std::size_t max_bytes) {
  const std::string plain = printable(text, max_bytes);
  std::string out;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (c == '@') {
      // GitHub looks for mentions after it has resolved entities; only a break in the text stops it.
      out += "@<!-- -->";
    } else if (begins_markup(plain, i)) {
      out += fmt::format("&#{};", static_cast<int>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text, std::size_t max_bytes) {
  const std::string plain = printable(text, max_bytes);
  if (trim(plain).empty()) {
    return "";
  }
  // A table splits its row at bars before it looks for code spans, and whether a backslash protects
  // one depends on the backslashes before it. An element with entities has no such doubts.
  if (plain.find('|') != std::string::npos) {
    return "<code>" + markdown_text(text, max_bytes) + "</code>";
  }
  const std::string fence(longest_backtick_run(plain) + 1, '`');
  const bool pad = plain.front() == '`' || plain.back() == '`';
  return pad ? fmt::format("{} {} {}", fence, plain, fence) : fence + plain + fence;
}

std::string markdown_block(std::string_view text, std::size_t max_bytes) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text.substr(0, max_bytes), '\n')) {
    lines.push_back(printable(line, max_bytes));
  }
  const std::string body = join(lines, "\n");
  const std::string fence(std::max<std::size_t>(3, longest_backtick_run(body) + 1), '`');
  return fmt::format("{}text\n{}\n{}", fence, body, fence);
}

MarkdownDocument::MarkdownDocument(std::size_t max_bytes)
    : max_bytes_(max_bytes > kReserve ? max_bytes - kReserve : 0) {}

bool MarkdownDocument::add(const std::string& text) {
  if (text_.size() + text.size() > max_bytes_) {
    ++left_out_;
    return false;
  }
  text_ += text;
  return true;
}

void MarkdownDocument::paragraph(const std::string& text) {
  add(text + "\n\n");
}

void MarkdownDocument::table(const std::vector<std::string>& header,
                             const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) {
    return;
  }
  const std::vector<std::string> rule(header.size(), "---");
  if (!add(fmt::format("| {} |\n| {} |\n", join(header, " | "), join(rule, " | ")))) {
    left_out_ += rows.size();
    return;
  }
  for (const std::vector<std::string>& row : rows) {
    add(fmt::format("| {} |\n", join(row, " | ")));
  }
  add("\n");
}

void MarkdownDocument::begin_details(const std::string& summary) {
  details_open_ = add(fmt::format("<details><summary>{}</summary>\n\n", summary));
}

void MarkdownDocument::end_details() {
  if (details_open_) {
    text_ += "</details>\n\n";  // out of the reserve: an open block would swallow what follows
    details_open_ = false;
  }
}

std::string MarkdownDocument::finish() const {
  std::string out = text_;
  if (details_open_) {
    out += "</details>\n\n";
  }
  if (left_out_ > 0) {
    out += fmt::format("\n_{} rows or paragraphs did not fit here; report.json has all of them._\n",
                       left_out_);
  }
  return out;
}

}  // namespace sglexp
