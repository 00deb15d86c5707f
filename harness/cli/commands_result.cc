// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/options.h"
#include "harness/cli/result_commands.h"

namespace sglexp {

namespace {

void add_runs(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunsOptions>();
  CLI::App* command = app.add_subcommand("runs", "list runs, newest first");
  add_database_options(command, options->database);
  command->add_flag("--active", options->active, "only runs that have not ended");
  command->add_option("--scenario", options->scenario, "only runs of this scenario");
  command->add_option("--limit", options->limit, "how many at most, 0 = all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->callback([options, &action] { action = [options] { return runs_command(*options); }; });
}

void add_show(CLI::App& app, Action& action) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "everything about one run");
  command->add_option("run", options->run.run, "run id, the beginning of one, or 'latest'")
      ->capture_default_str();
  add_database_options(command, options->run.database);
  command->add_flag("--markdown", options->markdown, "as Markdown");
  command->callback([options, &action] { action = [options] { return show_command(*options); }; });
}

void add_clean(CLI::App& app, Action& action) {
  auto options = std::make_shared<CleanOptions>();
  CLI::App* command = app.add_subcommand(
      "clean", "remove directories of ended runs; the database keeps its numbers");
  add_database_options(command, options->database);
  command->add_option("--older-than", options->older_than, "age since the run ended, such as 30d")
      ->required();
  command->add_flag("--dry-run", options->dry_run, "only say what would be removed");
  command->callback([options, &action] { action = [options] { return clean_command(*options); }; });
}

}  // namespace

void add_database_options(CLI::App* command, DatabaseOptions& options) {
  command->add_option("--db", options.db,
                      "results database; default $SGLEXP_DB, else $XDG_DATA_HOME/sglexp/sglexp.db");
  command->add_flag("--json", options.json, "JSON on standard output");
}

void add_result_commands(CLI::App& app, Action& action) {
  add_runs(app, action);
  add_show(app, action);
  add_clean(app, action);
}

}  // namespace sglexp
