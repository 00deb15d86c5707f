// SPDX-License-Identifier: Apache-2.0
#include "harness/health/log_growth.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

constexpr std::uint64_t kMaxRead = std::uint64_t{1} << 20;
// The paths that waiting for readiness polls.
constexpr std::array<std::string_view, 5> kPolled = {"/health", "/server_info", "/get_server_info",
                                                     "/workers", "/list_workers"};

bool is_echo(std::string_view line) {
  const bool is_access = line.find("GET ") != std::string_view::npos ||
                         line.find("method=GET") != std::string_view::npos;
  return is_access && std::any_of(kPolled.begin(), kPolled.end(), [&](std::string_view path) {
           return line.find(path) != std::string_view::npos;
         });
}

}  // namespace

LogGrowth::LogGrowth(std::vector<std::string> paths) {
  for (std::string& path : paths) {
    if (!path.empty()) {
      logs_.push_back({std::move(path), 0});
    }
  }
}

bool LogGrowth::advanced() {
  bool any = false;
  for (Log& log : logs_) {
    any = read_on(log) || any;  // every log moves on, whatever the others said
  }
  return any;
}

bool LogGrowth::read_on(Log& log) {
  const auto text = read_file_from(log.path, log.offset, kMaxRead);
  if (!text.ok() || text.value().empty()) {
    return false;
  }
  log.offset += text.value().size();
  const auto lines = split(text.value(), '\n');
  return std::any_of(lines.begin(), lines.end(),
                     [](const std::string& line) { return !trim(line).empty() && !is_echo(line); });
}

}  // namespace sglexp
