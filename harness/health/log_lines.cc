// SPDX-License-Identifier: Apache-2.0
#include "harness/health/log_lines.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <ios>
#include <vector>

namespace sglexp {

namespace {

constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kBlock = 65536;

}  // namespace

void each_log_line(const std::string& path,
                   const std::function<void(std::string_view, int)>& take) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(kBlock);
  std::string line;
  int number = 1;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      const char c = block[static_cast<std::size_t>(i)];
      if (c == '\n' || c == '\r') {
        take(line, number);
        line.clear();
        number += c == '\n' ? 1 : 0;
      } else if (line.size() < kMaxLine) {
        line += c;
      }
    }
  }
  if (!line.empty()) {
    take(line, number);
  }
}

void strip_ansi(std::string_view line, std::string& out) {
  out.clear();
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t escape = std::min(line.find('\x1b', at), line.size());
    out += line.substr(at, escape - at);
    at = escape;
    if (line.substr(at, 2) != "\x1b[") {
      at += at < line.size() ? 1 : 0;  // a bare escape byte
      continue;
    }
    // CSI: parameters and intermediates up to one final byte in '@' .. '~'.
    at += 2;
    while (at < line.size() && (line[at] < '@' || line[at] > '~')) {
      ++at;
    }
    at += at < line.size() ? 1 : 0;
  }
}

std::string log_time_stamp(std::string_view line) {
  constexpr std::string_view kShape = "dddd-dd-dd dd:dd:dd";
  if (line.starts_with('[')) {
    line.remove_prefix(1);
  }
  if (line.size() < kShape.size()) {
    return {};
  }
  std::string stamp(line.substr(0, kShape.size()));
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == ' ' && stamp[i] == 'T') {
      stamp[i] = ' ';
    }
    const bool fits = kShape[i] == 'd' ? std::isdigit(static_cast<unsigned char>(stamp[i])) != 0
                                       : stamp[i] == kShape[i];
    if (!fits) {
      return {};
    }
  }
  return stamp;
}

}  // namespace sglexp
