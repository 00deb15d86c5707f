// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/report/layout.h"
#include "harness/report/report.h"

namespace sglexp {

namespace {

constexpr std::size_t kShortId = 8;

constexpr std::size_t kToTheSecond = 19;  // "2026-11-30T21:14:32"

using nlohmann::ordered_json;

// To the second, without the letters that only machines need.
std::string short_time(const std::string& utc) {
  std::string out = ascii(utc, 40).substr(0, kToTheSecond);
  if (out.size() == kToTheSecond) {
    out[10] = ' ';
  }
  return out.empty() ? "-" : out;
}

std::string result_word(const RunInfo& run) {
  return run.outcome ? std::string(outcome_name(*run.outcome)) : ascii(run.status, 12);
}

}  // namespace

std::string run_list_text(std::span<const RunListRow> runs) {
  if (runs.empty()) {
    return "no runs\n";
  }
  TextTable table;
  table.row({"run", "started (UTC)", "scenario", "cluster", "result", "trials"});
  for (const RunListRow& row : runs) {
    // In words, not colour: a simulated result must never pass for a real one.
    table.row({ascii(row.run.uuid, 64).substr(0, kShortId), short_time(row.run.started_utc),
               ascii(row.run.scenario, 20),
               ascii(row.run.cluster, 12) + (row.run.simulated ? " (sim)" : ""),
               result_word(row.run), fmt::format("{}/{} ok", row.trials_ok, row.trials)});
  }
  return table.text();
}

std::string run_list_json(std::span<const RunListRow> runs) {
  ordered_json list = ordered_json::array();
  for (const RunListRow& row : runs) {
    const RunInfo& run = row.run;
    list.push_back(
        {{"run", run.uuid},
         {"scenario", run.scenario},
         {"cluster", run.cluster},
         {"kind", run.kind},
         {"status", run.status},
         {"outcome",
          run.outcome ? ordered_json(outcome_name(*run.outcome)) : ordered_json(nullptr)},
         {"simulated", run.simulated},
         {"started_utc", run.started_utc},
         {"ended_utc", run.ended_utc.empty() ? ordered_json(nullptr) : ordered_json(run.ended_utc)},
         {"jobs", run.job_ids},
         {"trials", row.trials},
         {"trials_ok", row.trials_ok},
         {"run_dir", run.run_dir}});
  }
  const ordered_json out = {{"schema", "sglexp-runs/1"}, {"runs", std::move(list)}};
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sglexp
