// SPDX-License-Identifier: Apache-2.0
// Which subcommands exist. Each function adds its group to the parser; a parsed subcommand leaves
// its work in `action`. Only commands_*.cc and app.cc see CLI11.
#pragma once

#include "harness/cli/console.h"

namespace CLI {
class App;
}

namespace sglexp {

void add_experiment_commands(CLI::App& app, Action& action);  // run, attach, cancel, status, logs
void add_scenario_commands(CLI::App& app, Action& action);    // scenarios, validate, render
void add_result_commands(CLI::App& app, Action& action);      // runs, show, clean
void add_node_commands(CLI::App& app, Action& action);  // agent, probe, node-exec ... (hidden)

}  // namespace sglexp
