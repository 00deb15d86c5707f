// SPDX-License-Identifier: Apache-2.0
// The first causal line over several logs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sglexp {

struct LogCause {
  std::string pattern_id;  // "address_in_use", "out_of_memory" ... (health/log_patterns.h)
  std::string cause;       // for people
  std::string remedy;
  std::string line;  // as found, made printable
  std::string log_path;
  int line_number = 0;
};

// What explains most wins (CauseRank); among equals the earliest by the time stamps of the lines,
// or, where lines have none, the earlier file in `log_paths`. A line without a stamp counts for the
// last stamp above it. Files that cannot be read are skipped. Reads in bounded memory: of a longer
// line only its first 4 KiB are seen. Nothing if the logs hold only harmless lines.
[[nodiscard]] std::optional<LogCause> find_cause(const std::vector<std::string>& log_paths);

// The last line that is not blank, printable; empty if there is none.
[[nodiscard]] std::string last_log_line(const std::string& log_path);

}  // namespace sglexp
