// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/result_commands.h"

#include <filesystem>

#include <fmt/format.h>

#include "harness/cli/console.h"
#include "harness/cli/session.h"
#include "harness/report/report.h"
#include "harness/run/clean.h"
#include "harness/run/conclude.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

Status list_runs(const RunsOptions& options) {
  SGLEXP_TRY(const Store store, open_store(options.database, OpenMode::kReadOnly));
  SGLEXP_TRY(const std::vector<RunSummary> runs, store.list_runs({.active_only = options.active,
                                                                  .scenario = options.scenario,
                                                                  .limit = options.limit}));
  std::vector<RunListRow> rows;
  for (const RunSummary& summary : runs) {
    rows.push_back({.run = summary.run, .trials = summary.trials, .trials_ok = summary.trials_ok});
  }
  print_out(options.database.json ? run_list_json(rows) : run_list_text(rows));
  return Ok{};
}

Status show(const ShowOptions& options) {
  SGLEXP_TRY(const Store store, open_store(options.run.database, OpenMode::kReadOnly));
  SGLEXP_TRY(const RunInfo info, find_stored_run(options.run, store));
  SGLEXP_TRY(const RunReport report, load_run_report(info.uuid, {}, store));
  print_out(options.run.database.json ? report_json(report)
            : options.markdown        ? report_markdown(report)
                                      : report_detail_text(report));
  return Ok{};
}

Status clean(const CleanOptions& options) {
  SGLEXP_TRY(const Nanos age, parse_duration(options.older_than));
  SGLEXP_TRY(const Store store, open_store(options.database, OpenMode::kReadOnly));
  SGLEXP_TRY(const std::vector<std::string> directories,
             old_run_directories(store, age, SystemClock().wall_now()));
  for (const std::string& directory : directories) {
    if (!options.dry_run) {
      SGLEXP_CHECK(remove_tree(directory, std::filesystem::path(directory).parent_path().string()));
    }
    print_out(directory + "\n");
  }
  print_out(fmt::format("{} run directories {}\n", directories.size(),
                        options.dry_run ? "would be removed" : "removed"));
  return Ok{};
}

ExitCode finished(const Status& status) {
  return status.ok() ? ExitCode::kOk : report_error(status.error());
}

}  // namespace

ExitCode runs_command(const RunsOptions& options) {
  return finished(list_runs(options));
}
ExitCode show_command(const ShowOptions& options) {
  return finished(show(options));
}
ExitCode clean_command(const CleanOptions& options) {
  return finished(clean(options));
}

}  // namespace sglexp
