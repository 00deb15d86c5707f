// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/app.h"

#include <signal.h>

#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/run/run_files.h"

namespace sglexp {

namespace {

constexpr const char* kAbout =
    "Runs SGLang serving experiments on Slurm clusters of AMD GPUs: places workers, proves the\n"
    "environment, drives streaming load, and says what got worse and how sure it is.\n";

constexpr const char* kExitCodes =
    "Exit codes: 0 nothing regressed; 1 regression; 2 usage, scenario or database; 3 inconclusive\n"
    "(with --fail-on inconclusive); 4 functional failure; 5 infrastructure or nothing measured;\n"
    "130 interrupted by Ctrl-C.\n";

ExitCode parse_and_run(CLI::App& app, int argc, char** argv, const Action& action) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    // --help and --version end here too, with success.
    return app.exit(stop) == 0 ? ExitCode::kOk : ExitCode::kUsage;
  }
  const ExitCode code = action ? action() : ExitCode::kUsage;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    // Nobody got the result: a full disk behind > must not look like success.
    return worst(code,
                 report_error({ErrorCode::kUnavailable, "standard output could not be written"}));
  }
  return code;
}

}  // namespace

ExitCode run_app(int argc, char** argv) {
  // A reader that goes away (sglexp runs | head) must not look like a crash.
  signal(SIGPIPE, SIG_IGN);
  try {
    CLI::App app{kAbout, "sglexp"};
    app.footer(kExitCodes);
    app.set_version_flag("--version", std::string("sglexp ") + kToolVersion);
    app.require_subcommand(1);
    Action action;
    add_experiment_commands(app, action);
    add_scenario_commands(app, action);
    add_result_commands(app, action);
    add_node_commands(app, action);
    return parse_and_run(app, argc, argv, action);
  } catch (const std::exception& bug) {
    return report_error(
        {ErrorCode::kInternal, std::string("internal error, please report: ") + bug.what()});
  }
}

}  // namespace sglexp
