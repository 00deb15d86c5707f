// SPDX-License-Identifier: Apache-2.0
#include "harness/run/clean.h"

#include <nlohmann/json.hpp>

#include "harness/sys/clock.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

bool holds_run(const std::string& directory, const std::string& uuid) {
  const auto text = read_file(directory + "/run.json", 1 << 20);
  if (!text.ok()) {
    return false;
  }
  const auto identity = nlohmann::json::parse(*text, nullptr, false);
  return identity.is_object() && identity.contains("uuid") && identity["uuid"] == uuid;
}

}  // namespace

Result<std::vector<std::string>> old_run_directories(const Store& store, Nanos age,
                                                     std::chrono::system_clock::time_point now) {
  SGLEXP_TRY(const std::vector<RunSummary> runs, store.list_runs({.limit = 0}));
  // ISO-8601 in UTC sorts as text.
  const std::string newest =
      utc_text(now - std::chrono::duration_cast<std::chrono::system_clock::duration>(age));
  std::vector<std::string> out;
  for (const RunSummary& summary : runs) {
    const RunInfo& run = summary.run;
    if (run.status != "running" && !run.ended_utc.empty() && run.ended_utc <= newest &&
        holds_run(run.run_dir, run.uuid)) {
      out.push_back(run.run_dir);
    }
  }
  return out;
}

}  // namespace sglexp
