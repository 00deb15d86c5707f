// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/parse_scontrol.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/slurm/hostlist.h"
#include "harness/slurm/job_state.h"

namespace sglexp {
namespace {

// The value of `key` in a line of "Key=Value Key=Value": up to the next blank, "(null)" as nothing.
std::string_view value_of(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    const std::size_t equals = at + key.size();
    if ((at == 0 || line[at - 1] == ' ') && equals < line.size() && line[equals] == '=') {
      const std::string_view value = line.substr(equals + 1);
      const std::string_view word = value.substr(0, value.find(' '));
      return word == "(null)" ? std::string_view{} : word;
    }
  }
  return {};
}

// Reasons hold blanks: "ReqNodeNotAvail, UnavailableNodes:n2".
std::string reason_of(std::string_view line) {
  constexpr std::string_view kBefore = " Reason=";
  const std::size_t begin = line.find(kBefore);
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = line.substr(begin + kBefore.size());
  return std::string(rest.substr(0, rest.rfind(" Dependency=")));
}

Status append_nodes(std::string_view line, std::vector<NodeAllocation>& nodes) {
  SGLEXP_TRY(const std::vector<std::string> names, expand_hostlist(value_of(line, "Nodes")));
  const auto cpus = parse_ranges(value_of(line, "CPU_IDs"));
  if (!cpus) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("cannot read the CPU_IDs in '{}'", printable(line, 200))};
  }
  for (const std::string& name : names) {
    nodes.push_back({name, "", *cpus, parse_gpu_indices(value_of(line, "GRES"))});
  }
  return Ok{};
}

Status read_line(std::string_view line, JobRecord& record) {
  if (line.starts_with("JobId=") && record.id.empty()) {
    record.id = value_of(line, "JobId");
  } else if (line.starts_with("JobState=") && record.word.empty()) {
    record.word = state_word(value_of(line, "JobState"));
    record.reason = reason_of(line);
  } else if (line.starts_with("Requeue=") && record.exit.code < 0) {
    const std::string_view restarts = value_of(line, "Restarts");
    std::from_chars(restarts.data(), restarts.data() + restarts.size(), record.restarts);
    record.exit = parse_exit_pair(value_of(line, "ExitCode")).value_or(ExitPair{});
  } else if (line.starts_with("NodeList=") && record.hostlist.empty()) {
    record.hostlist = value_of(line, "NodeList");
  } else if (line.starts_with("Nodes=") && line.find(" CPU_IDs=") != std::string_view::npos) {
    return append_nodes(line, record.nodes);
  }
  return Ok{};
}

}  // namespace

std::vector<int> parse_gpu_indices(std::string_view gres) {
  constexpr std::string_view kMark = "(IDX:";
  std::vector<int> gpus;
  while (!gres.empty()) {
    // Commas also stand inside the parentheses: an item ends behind its ")".
    const std::size_t mark = gres.find(kMark);
    const std::size_t close = gres.find(')');
    if (mark == std::string_view::npos || close == std::string_view::npos || close < mark) {
      break;
    }
    const std::string_view list = gres.substr(mark + kMark.size(), close - mark - kMark.size());
    // Items without indices ("license:1,gpu:1(IDX:0)") may stand before this one.
    const std::string_view before = gres.substr(0, mark);
    const std::string_view name = before.substr(before.rfind(',') + 1);
    const auto indices = parse_ranges(list);
    if ((name == "gpu" || name.starts_with("gpu:")) && indices) {
      gpus.insert(gpus.end(), indices->begin(), indices->end());
    }
    gres.remove_prefix(close + 1);
  }
  std::sort(gpus.begin(), gpus.end());
  gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
  return gpus;
}

Result<JobRecord> parse_job_record(std::string_view out) {
  JobRecord record;
  for (const std::string& line : split(out, '\n')) {
    SGLEXP_CHECK(read_line(trim(line), record));
  }
  if (record.id.empty() || record.word.empty()) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("scontrol show job: expected JobId= and JobState= lines, got '{}'",
                             printable(out, 120))};
  }
  return record;
}

std::map<std::string, std::string> parse_node_addresses(std::string_view out) {
  std::map<std::string, std::string> addresses;
  std::string name;
  for (const std::string& raw : split(out, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with("NodeName=")) {
      name = value_of(line, "NodeName");
    }
    const std::string_view address = value_of(line, "NodeAddr");
    if (line.starts_with("NodeAddr=") && !name.empty() && !address.empty()) {
      addresses.emplace(name, address);
    }
  }
  return addresses;
}

}  // namespace sglexp
