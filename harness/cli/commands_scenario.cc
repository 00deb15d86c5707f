// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/scenario_commands.h"

namespace sglexp {

namespace {

CLI::App* add(CLI::App& app, Action& action, const std::string& name,
              const std::string& description, const std::shared_ptr<ScenarioOptions>& options,
              ExitCode (*run)(const ScenarioOptions&)) {
  CLI::App* command = app.add_subcommand(name, description);
  command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  return command;
}

void add_input_options(CLI::App* command, ScenarioOptions& options) {
  command->add_option("scenario", options.scenario, "name or file")->required();
  command->add_option("--cluster", options.cluster, "cluster profile, name or file");
  command->add_option("--set", options.set, "change a scenario field")->take_all();
  command->add_option("--only", options.only, "keep only this arm")->take_all();
}

}  // namespace

void add_scenario_commands(CLI::App& app, Action& action) {
  auto list_options = std::make_shared<ScenarioOptions>();
  add(app, action, "scenarios", "list scenarios", list_options, scenarios_command)
      ->add_flag("--json", list_options->json, "as JSON");
  auto validate_options = std::make_shared<ScenarioOptions>();
  add_input_options(
      add(app, action, "validate", "check a scenario file (and how it fits a cluster)",
          validate_options, validate_command),
      *validate_options);
  auto render_options = std::make_shared<ScenarioOptions>();
  CLI::App* render = add(app, action, "render", "show exactly what a run would do, offline",
                         render_options, render_command);
  add_input_options(render, *render_options);
  render->add_flag("--json", render_options->json, "the plan as JSON");
}

}  // namespace sglexp
