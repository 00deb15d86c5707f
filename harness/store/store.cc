// SPDX-License-Identifier: Apache-2.0
#include "harness/store/store.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/store/check_rows.h"
#include "harness/store/comparison_rows.h"
#include "harness/store/database.h"
#include "harness/store/environment_rows.h"
#include "harness/store/journal_mode.h"
#include "harness/store/keys.h"
#include "harness/store/migration.h"
#include "harness/store/request_rows.h"
#include "harness/store/run_rows.h"
#include "harness/store/trial_rows.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

Result<Database> open_to_write(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (!parent.empty()) {
    SGLEXP_CHECK(make_directories(parent));
  }
  SGLEXP_TRY(Database database, Database::open(path, Database::Access::kReadWrite));
  SGLEXP_CHECK(check_schema(database, migrations()));
  SGLEXP_CHECK(choose_journal_mode(database));
  SGLEXP_CHECK(migrate(database, migrations()));
  return database;
}

Result<Database> open_to_read(const std::string& path) {
  if (!path_exists(path)) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("no database at {}: run a scenario first, or pass its path with --db",
                             printable(path))};
  }
  SGLEXP_TRY(Database database, Database::open(path, Database::Access::kReadOnly));
  SGLEXP_CHECK(check_schema(database, migrations()));
  SGLEXP_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version == 0) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("database {} is empty: run a scenario first", printable(path))};
  }
  if (version < migrations().back().version) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("database {} has the older schema version {} and is open only for "
                             "reading: open it once with write permission, which upgrades it",
                             printable(path), version)};
  }
  return database;
}

Result<Database> open_memory() {
  SGLEXP_TRY(Database database, Database::open_memory());
  SGLEXP_CHECK(migrate(database, migrations()));
  return database;
}

// Runs `work` in one transaction; nothing is stored unless all of it succeeds.
template <typename Work>
Status in_transaction(Database& database, const std::string& doing, Work work) {
  const auto attempt = [&]() -> Status {
    SGLEXP_TRY(Transaction transaction, Transaction::begin(database, Transaction::Kind::kWrite));
    SGLEXP_CHECK(work());
    return transaction.commit();
  };
  Status done = attempt();
  return done.ok() ? done : Status(with_context(done.error(), doing));
}

// One view of the data over all the SELECTs of `work`.
template <typename Work>
auto in_view(Database& database, Work work) -> decltype(work()) {
  SGLEXP_TRY(Transaction view, Transaction::begin(database, Transaction::Kind::kRead));
  return work();
}

}  // namespace

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::string& path, OpenMode mode) {
  SGLEXP_TRY(Database database, mode == OpenMode::kMemory     ? open_memory()
                                : mode == OpenMode::kReadOnly ? open_to_read(path)
                                                              : open_to_write(path));
  return Store(std::make_unique<Database>(std::move(database)));
}

Status Store::begin_run(const RunInfo& run) {
  return in_transaction(*database_, "storing run " + printable(run.uuid),
                        [&] { return insert_run(*database_, run); });
}

Status Store::finish_run(const RunInfo& run) {
  return in_transaction(*database_, "storing the end of run " + printable(run.uuid),
                        [&] { return update_run(*database_, run); });
}

Status Store::set_run_jobs(std::string_view run_uuid, std::span<const RunJob> jobs) {
  return in_transaction(*database_, "storing the jobs of run " + printable(run_uuid),
                        [&] { return write_jobs(*database_, run_uuid, jobs); });
}

Status Store::ingest_trial(std::string_view run_uuid, const TrialRecord& trial,
                           std::span<const RequestRecord> requests, ItlDetail detail) {
  return in_transaction(
      *database_, "storing trial " + printable(trial.key.text()), [&]() -> Status {
        SGLEXP_TRY(const std::int64_t trial_id, write_trial(*database_, run_uuid, trial));
        return write_requests(*database_, trial_id, requests, detail);
      });
}

Status Store::put_checks(std::string_view run_uuid, std::string_view job_id,
                         std::span<const CheckResult> checks) {
  return in_transaction(*database_, "storing the checks of run " + printable(run_uuid),
                        [&] { return write_checks(*database_, run_uuid, job_id, checks); });
}

Status Store::put_environment(std::string_view run_uuid, const EnvironmentFact& fact) {
  return in_transaction(*database_, "storing the environment of run " + printable(run_uuid),
                        [&] { return write_environment(*database_, run_uuid, fact); });
}

Status Store::put_comparison(std::string_view run_uuid, const ComparisonRecord& record) {
  return in_transaction(*database_, "storing a comparison of run " + printable(run_uuid),
                        [&] { return write_comparison(*database_, run_uuid, record); });
}

Result<std::vector<RunSummary>> Store::list_runs(const RunFilter& filter) const {
  return in_view(*database_, [&] { return select_runs(*database_, filter); });
}

Result<std::string> Store::find_run(std::string_view text) const {
  return in_view(*database_, [&] { return resolve_run(*database_, text); });
}

Result<RunInfo> Store::load_run(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_run(*database_, run_uuid); });
}

Result<std::vector<RunJob>> Store::load_jobs(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_jobs(*database_, run_uuid); });
}

Result<std::vector<TrialRecord>> Store::load_trials(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_trials(*database_, run_uuid); });
}

Result<std::vector<CheckResult>> Store::load_checks(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_checks(*database_, run_uuid); });
}

Result<std::vector<EnvironmentFact>> Store::load_environment(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_environment(*database_, run_uuid); });
}

Result<std::vector<ComparisonRecord>> Store::load_comparisons(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_comparisons(*database_, run_uuid); });
}

Result<std::vector<RequestCount>> Store::count_requests(std::string_view run_uuid) const {
  return in_view(*database_, [&] { return select_request_counts(*database_, run_uuid); });
}

}  // namespace sglexp
