// SPDX-License-Identifier: Apache-2.0
// The results database: one SQLite file, written by the controller alone (compute nodes write files
// into the run directory, never here). One Store is one connection, for one thread at a time;
// several processes may have the same file open, and writers wait for one another.
//
// Every write is one transaction and idempotent by key: storing the same thing again changes
// nothing, so that an interrupted ingest is simply run again. Text of any origin may be stored
// (it is bound, never SQL); whoever shows it makes it printable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/check.h"
#include "harness/record/comparison.h"
#include "harness/record/request.h"
#include "harness/record/run_info.h"
#include "harness/record/trial.h"

namespace sglexp {

class Database;

enum class OpenMode {
  kReadWrite,  // creates the file and its directories, and migrates an older schema (after a copy)
  kReadOnly,   // changes nothing: an older schema is refused
  kMemory,     // private, gone with the Store; the path is ignored
};

struct RunJob {
  std::string slurm_job_id;
  std::string name;   // JobPlan's name
  std::string state;  // Slurm's word
};

struct RunFilter {
  bool active_only = false;  // status running
  std::string scenario;      // "" = any
  int limit = 50;            // newest first; 0 = all
};

struct RunSummary {
  RunInfo run;
  int trials = 0;
  int trials_ok = 0;
};

// A JSON document about a node ("" = the cluster as a whole) that a job found before its trials.
struct EnvironmentFact {
  std::string job_id;
  std::string node;
  std::string scope;  // "node", "topology", "slurm" ...
  std::string json;
};

struct RequestCount {
  std::string arm;
  std::string load_point;
  bool warmup = false;
  RequestStatus status = RequestStatus::kOk;
  std::int64_t n = 0;
};

// A comparison with what it was made from. The key is (run, mode, refs, params, inputs).
struct ComparisonRecord {
  std::string base_ref;  // run uuid or baseline name
  std::string cand_ref;
  std::string made_utc;       // "": now
  std::string params_json;    // "": {}
  std::string inputs_sha256;  // trials_digest() of what was compared
  std::string env_diff_json;  // "": none
  std::optional<Verdict> verdict;
  std::optional<int> exit_code;
  Comparison comparison;
};

enum class ItlDetail { kSummary, kRaw };  // kRaw: about 3 bytes a token

class Store {
 public:
  // kNotFound: kReadOnly and no database there. kInvalidInput: not ours, newer, damaged, edited.
  // kUnavailable: locked for over 10 s, disk full, file system failure.
  [[nodiscard]] static Result<Store> open(const std::string& path, OpenMode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Stores run, arms and metric definitions. A run that is stored already stays as it is; another
  // specification under its uuid is kInvalidInput. RunInfo::job_ids comes from set_run_jobs alone.
  [[nodiscard]] Status begin_run(const RunInfo& run);
  // Writes what changes during a run: status, end, outcome, failure, simulated, run_dir.
  [[nodiscard]] Status finish_run(const RunInfo& run);
  // Adds jobs and updates the names and states of known ones.
  [[nodiscard]] Status set_run_jobs(std::string_view run_uuid, std::span<const RunJob> jobs);

  // A trial with everything that belongs to it, in one transaction; an earlier version under the
  // same key is replaced. kInvalidInput: no such run or arm, a discard reason outside the closed
  // list, or a metric whose unit or direction differs from the stored definition.
  [[nodiscard]] Status ingest_trial(std::string_view run_uuid, const TrialRecord& trial,
                                    std::span<const RequestRecord> requests,
                                    ItlDetail detail = ItlDetail::kRaw);

  // Replaces the checks of that job ("" = none).
  [[nodiscard]] Status put_checks(std::string_view run_uuid, std::string_view job_id,
                                  std::span<const CheckResult> checks);
  // Documents are kept once however many runs share them. kInvalidInput: not JSON.
  [[nodiscard]] Status put_environment(std::string_view run_uuid, const EnvironmentFact& fact);
  [[nodiscard]] Status put_comparison(std::string_view run_uuid, const ComparisonRecord& record);

  [[nodiscard]] Result<std::vector<RunSummary>> list_runs(const RunFilter& filter) const;
  // A uuid, the beginning of one (at least four characters) or "latest" -> the uuid. kNotFound says
  // how to list runs; an ambiguous prefix is kInvalidInput and names the candidates.
  [[nodiscard]] Result<std::string> find_run(std::string_view text) const;
  [[nodiscard]] Result<RunInfo> load_run(std::string_view run_uuid) const;
  [[nodiscard]] Result<std::vector<RunJob>> load_jobs(std::string_view run_uuid) const;
  // By slot, then in the order of ingestion. Times come back rounded to microseconds.
  [[nodiscard]] Result<std::vector<TrialRecord>> load_trials(std::string_view run_uuid) const;
  [[nodiscard]] Result<std::vector<CheckResult>> load_checks(std::string_view run_uuid) const;
  [[nodiscard]] Result<std::vector<EnvironmentFact>> load_environment(
      std::string_view run_uuid) const;
  // Oldest first.
  [[nodiscard]] Result<std::vector<ComparisonRecord>> load_comparisons(
      std::string_view run_uuid) const;
  [[nodiscard]] Result<std::vector<RequestCount>> count_requests(std::string_view run_uuid) const;

 private:
  explicit Store(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace sglexp
