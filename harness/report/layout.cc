// SPDX-License-Identifier: Apache-2.0
#include "harness/report/layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

constexpr std::string_view kMore = "...";

constexpr std::size_t kLabelWidth = 10;

// Takes the next line of at most `width` off the front of `text`, which does not begin with blanks.
std::string take_line(std::string_view& text, std::size_t width) {
  std::size_t end = text.size();
  if (end > width) {
    end = text.rfind(' ', width);
    end = end == std::string_view::npos ? width : end;
  }
  std::string line(trim(text.substr(0, end)));
  text = trim(text.substr(end));
  return line;
}

}  // namespace

std::string ascii(std::string_view text, std::size_t max_bytes) {
  std::string out;
  for (const char c : printable(text, max_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else if (byte >= 0xC0) {
      out += '?';  // one for the whole character: its other bytes are 0x80 to 0xBF
    }
  }
  return out;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t max_lines) {
  std::string_view rest = trim(text);
  std::vector<std::string> lines = {take_line(rest, width)};
  while (!rest.empty() && lines.size() < max_lines) {
    lines.push_back(take_line(rest, width));
  }
  if (!rest.empty()) {
    std::string& last = lines.back();
    last.resize(std::min(last.size(), width - kMore.size()));
    last += kMore;
  }
  return lines;
}

std::string labelled(std::string_view label, std::string_view text, std::size_t max_lines) {
  std::string out;
  for (const std::string& line : wrap(text, kTerminalWidth - kLabelWidth, max_lines)) {
    out += fmt::format("{:<{}}{}\n", out.empty() ? label : "", kLabelWidth, line);
  }
  return out;
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const Line& line : lines_) {
    widths.resize(std::max(widths.size(), line.cells.size()));
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      widths[i] = std::max(widths[i], line.cells[i].size());
    }
  }
  std::string out;
  for (const Line& line : lines_) {
    std::string laid = line.across;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      laid += fmt::format("{:<{}}  ", line.cells[i], widths[i]);
    }
    laid.resize(laid.find_last_not_of(' ') + 1);
    out += laid.empty() ? "\n" : std::string(indent_, ' ') + laid + "\n";
  }
  return out;
}

}  // namespace sglexp
