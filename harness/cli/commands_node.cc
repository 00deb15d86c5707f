// SPDX-License-Identifier: Apache-2.0
// Subcommands that run inside a job. People do not call them; the batch script and the agent do.
#include <memory>

#include <CLI/CLI.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/node_commands.h"

namespace sglexp {

namespace {

CLI::App* hidden(CLI::App& app, const std::string& name, const std::string& description) {
  return app.add_subcommand(name, description)->group("");
}

void add_agent(CLI::App& app, Action& action) {
  auto options = std::make_shared<AgentOptions>();
  CLI::App* command = hidden(app, "agent", "runs the experiment inside the allocation");
  command->add_option("run_dir", options->run_dir)->required();
  command->add_option("--job", options->job)->required();
  command->callback([options, &action] { action = [options] { return agent_command(*options); }; });
}

void add_file_command(CLI::App& app, Action& action, const std::string& name,
                      const std::string& description, ExitCode (*run)(const SpecOptions&)) {
  auto options = std::make_shared<SpecOptions>();
  CLI::App* command = hidden(app, name, description);
  command->add_option("--spec", options->spec)->required();
  command->add_option("--out", options->out);
  command->add_flag("--until-eof", options->until_eof);
  command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
}

void add_node_exec(CLI::App& app, Action& action) {
  auto options = std::make_shared<NodeExecOptions>();
  CLI::App* command = hidden(app, "node-exec", "starts one engine process on this node");
  command->add_option("--spec", options->spec);
  command->add_flag("--until-eof", options->until_eof);
  command->add_option("--guard", options->guard_parent);
  command->add_option("argv", options->argv);
  command->callback(
      [options, &action] { action = [options] { return node_exec_command(*options); }; });
}

}  // namespace

void add_node_commands(CLI::App& app, Action& action) {
  add_agent(app, action);
  add_node_exec(app, action);
  add_file_command(app, action, "probe", "reports what this node is", probe_command);
  add_file_command(app, action, "load-exec", "runs one load point", load_exec_command);
  add_file_command(app, action, "postflight", "proves that nothing was left behind",
                   postflight_command);
}

}  // namespace sglexp
