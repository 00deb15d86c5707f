// SPDX-License-Identifier: Apache-2.0
// Reading `sacct --parsable2 --allocations --noheader`: the memory that outlives the controller's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

inline constexpr std::string_view kHistoryFormat = "JobIDRaw,State,ExitCode,NodeList";
inline constexpr std::string_view kHistoryFindFormat = "JobIDRaw,JobName,Comment";

// "A:B": exit code A, or the signal B that ended the batch script. 0:53 and other high "signals" are
// Slurm's own launch failures.
struct ExitPair {
  int code = -1;
  int signal = 0;
};
[[nodiscard]] std::optional<ExitPair> parse_exit_pair(std::string_view text);

struct HistoryRow {
  std::string id;
  std::string word;
  ExitPair exit;
  std::string hostlist;  // empty where sacct says "None assigned"
};

[[nodiscard]] std::vector<HistoryRow> parse_history(std::string_view out);

}  // namespace sglexp
