// SPDX-License-Identifier: Apache-2.0
#include "harness/run/ingest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/load/requests_file.h"
#include "harness/record/json.h"
#include "harness/run/journal_members.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

// Run directories are shared with compute nodes: a path that leaves the directory is not followed.
Result<std::string> file_of(const RunFiles& run, const std::string& file, const std::string& who) {
  if (file.empty() || file.starts_with('/') || file.find("..") != std::string::npos) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("{} names no file of the run: '{}'", who, printable(file, 200))};
  }
  return run.dir.file(file);
}

Status ingest_trial(const RunFiles& run, const std::string& path, Store& store) {
  SGLEXP_TRY(const std::string text, read_file(path, std::uint64_t{1} << 30));
  SGLEXP_TRY(const TrialRecord trial, parse_trial(text));
  std::vector<RequestRecord> requests;
  if (!trial.requests_file.empty()) {
    SGLEXP_TRY(const std::string requests_path,
               file_of(run, trial.requests_file, "trial " + trial.key.text()));
    SGLEXP_TRY(requests, read_requests_file(requests_path));
  }
  return store.ingest_trial(run.uuid, trial, requests);
}

Status ingest_node(const RunFiles& run, const std::string& job_id, const std::string& path,
                   Store& store) {
  SGLEXP_TRY(const std::string text, read_file(path, 64 << 20));
  SGLEXP_TRY(const NodeReport report, parse_node_report(text));
  SGLEXP_CHECK(store.put_environment(
      run.uuid, {.job_id = job_id,
                 .node = report.node,
                 .scope = "topology",
                 .json = report.topology_json.empty() ? "null" : report.topology_json}));
  return store.put_environment(
      run.uuid, {.job_id = job_id,
                 .node = report.node,
                 .scope = "node",
                 .json = json(report.facts).dump(-1, ' ', false, json::error_handler_t::replace)});
}

Status ingest_checks(const RunFiles& run, const std::string& job_id, const std::string& path,
                     Store& store) {
  SGLEXP_TRY(const std::string text, read_file(path, 64 << 20));
  SGLEXP_TRY(const std::vector<CheckResult> checks, parse_checks(text));
  return store.put_checks(run.uuid, job_id, checks);
}

}  // namespace

Status ingest_entry(const RunFiles& run, const std::string& job_id, const JournalEntry& entry,
                    Store& store) {
  if (entry.type != "trial_finished" && entry.type != "node_report" && entry.type != "checks") {
    return Ok{};
  }
  SGLEXP_TRY(const std::string path,
             file_of(run, text_member(entry, "file"), "journal entry " + entry.type));
  if (entry.type == "trial_finished") {
    return ingest_trial(run, path, store);
  }
  return entry.type == "checks" ? ingest_checks(run, job_id, path, store)
                                : ingest_node(run, job_id, path, store);
}

}  // namespace sglexp
