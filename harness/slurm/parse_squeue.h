// SPDX-License-Identifier: Apache-2.0
// Reading `squeue`. Formats are our own (--format), free text last, so that commas and blanks in a
// reason or a comment cannot shift a field. Lines of another shape are site banners: skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

inline constexpr std::string_view kQueueFormat = "%i|%T|%N|%r";  // id, state, nodes, reason
inline constexpr std::string_view kFindFormat = "%i|%j|%k";      // id, name, comment

struct QueueRow {
  std::string id;
  std::string word;
  std::string hostlist;  // compressed; empty before the job has nodes
  std::string reason;
};

// "123", "123_4" (array task), "123+1" (heterogeneous component): what squeue and sacct print and
// every command takes. Nothing else may reach a command line as a job id.
[[nodiscard]] bool is_job_id(std::string_view text);

[[nodiscard]] std::vector<QueueRow> parse_queue(std::string_view out);

// Ids of the lines "ID|..." whose rest holds `token` as a whole word: run-1 is not found in run-10.
// Serves sacct's "JobIDRaw|JobName|Comment" as well.
[[nodiscard]] std::vector<std::string> ids_with_token(std::string_view out, std::string_view token);

}  // namespace sglexp
