// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/parse_sacct.h"

#include <charconv>
#include <utility>

#include "harness/base/text.h"
#include "harness/slurm/job_state.h"
#include "harness/slurm/parse_squeue.h"

namespace sglexp {
namespace {

std::optional<int> parse_small(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<ExitPair> parse_exit_pair(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto code = parse_small(text.substr(0, colon));
  const auto signal = parse_small(text.substr(colon + 1));
  if (!code || !signal) {
    return std::nullopt;
  }
  return ExitPair{*code, *signal};
}

std::vector<HistoryRow> parse_history(std::string_view out) {
  std::vector<HistoryRow> rows;
  for (const std::string& line : split(out, '\n')) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() != 4 || !is_job_id(fields[0])) {
      continue;
    }
    HistoryRow row{fields[0], state_word(fields[1]), {}, fields[3]};
    row.exit = parse_exit_pair(fields[2]).value_or(ExitPair{});
    if (row.hostlist == "None assigned") {
      row.hostlist.clear();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sglexp
