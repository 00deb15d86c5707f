// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/experiment_commands.h"
#include "harness/cli/options.h"

namespace sglexp {

namespace {

void add_fail_on(CLI::App* command, std::string& fail_on) {
  command->add_option("--fail-on", fail_on, "also fail on: inconclusive")
      ->check(CLI::IsMember({"inconclusive"}));
}

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "submit a scenario, follow it, compare, report");
  command->add_option("scenario", options->scenario, "name or file (see: sglexp scenarios)")
      ->required();
  command->add_option("--cluster", options->cluster,
                      "cluster profile, name or file; default $SGLEXP_CLUSTER");
  add_database_options(command, options->database);
  command->add_option("--runs", options->runs,
                      "where run directories go; default: the profile's, else beside the database");
  command->add_option("--set", options->set, "change a scenario field: --set repeats.blocks=4")
      ->take_all();
  command->add_option("--only", options->only, "keep only this arm (may be given again)")
      ->take_all();
  command->add_option("--account", options->account, "Slurm account");
  command->add_option("--qos", options->qos, "Slurm QOS");
  command->add_option("--partition", options->partition, "Slurm partition");
  command->add_option("--reservation", options->reservation, "Slurm reservation");
  command->add_option("--exclude", options->exclude, "nodes that must not be used");
  add_fail_on(command, options->fail_on);
  command->add_flag("--detach", options->detach, "submit, print the run's id, and return");
  command->callback([options, &action] { action = [options] { return run_command(*options); }; });
}

void add_one_run(CLI::App& app, Action& action, const std::string& name,
                 const std::string& description, ExitCode (*run)(const OneRunOptions&)) {
  auto options = std::make_shared<OneRunOptions>();
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("run", options->run, "run id, the beginning of one, or 'latest'")
      ->capture_default_str();
  add_database_options(command, options->database);
  if (name == "attach") {
    add_fail_on(command, options->fail_on);
  }
  if (name == "logs") {
    command->add_option("--node", options->node, "only logs of this node");
    command->add_option("--lines", options->lines, "last lines of each file, 0 = all")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
  }
  command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
}

}  // namespace

void add_experiment_commands(CLI::App& app, Action& action) {
  add_run(app, action);
  add_one_run(app, action, "attach", "go on following a run, or show how it ended", attach_command);
  add_one_run(app, action, "status", "where a run is right now", status_command);
  add_one_run(app, action, "logs", "the newest logs of a run", logs_command);
  add_one_run(app, action, "cancel", "end a run's jobs and conclude it", cancel_command);
}

}  // namespace sglexp
