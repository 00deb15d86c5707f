// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/scenario_commands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/console.h"
#include "harness/cli/locate.h"
#include "harness/run/preview.h"
#include "harness/run/run_files.h"

namespace sglexp {

namespace {

Result<RunFiles> load(const ScenarioOptions& options, const InstallPaths& paths) {
  RunInputs inputs{.overrides = {.scenario = options.set, .arms = options.only}};
  SGLEXP_TRY(inputs.scenario_path, locate_scenario(options.scenario, paths));
  SGLEXP_TRY(inputs.profile_path, locate_profile(options.cluster, paths));
  return load_inputs(inputs);
}

Status list(const ScenarioOptions& options) {
  SGLEXP_TRY(const InstallPaths paths, find_install_paths());
  nlohmann::json rows = nlohmann::json::array();
  for (const NamedFile& file : list_scenarios(paths)) {
    const auto scenario = load_scenario(file.path);
    const std::string about =
        scenario.ok() ? scenario->description : "(not valid: sglexp validate " + file.name + ")";
    if (options.json) {
      rows.push_back({{"name", file.name},
                      {"description", about},
                      {"file", file.path},
                      {"valid", scenario.ok()}});
    } else {
      print_out(fmt::format("{:<22} {}\n", file.name, about));
    }
  }
  if (options.json) {
    print_out(rows.dump(2) + "\n");
  }
  return Ok{};
}

// Without a cluster the scenario alone is checked.
Status validate(const ScenarioOptions& options) {
  SGLEXP_TRY(const InstallPaths paths, find_install_paths());
  SGLEXP_TRY(const std::string path, locate_scenario(options.scenario, paths));
  SGLEXP_TRY(const Scenario scenario,
             load_known_scenario(path, {.scenario = options.set, .arms = options.only}));
  if (!options.cluster.empty()) {
    SGLEXP_TRY(const RunFiles run, load(options, paths));
    print_out(fmt::format("{}: valid on {}, {} trials, digest {}\n", path, run.profile.name,
                          run.plan.trials, run.plan.digest.substr(0, 12)));
    return Ok{};
  }
  print_out(fmt::format("{}: valid\n", path));
  return Ok{};
}

Status render(const ScenarioOptions& options) {
  SGLEXP_TRY(const InstallPaths paths, find_install_paths());
  SGLEXP_TRY(const RunFiles run, load(options, paths));
  if (options.json) {
    print_out(plan_to_json(run.scenario, run.profile, run.plan) + "\n");
    return Ok{};
  }
  SGLEXP_TRY(const std::string text, render_preview(run, paths));
  print_out(text);
  return Ok{};
}

ExitCode finished(const Status& status) {
  return status.ok() ? ExitCode::kOk : report_error(status.error());
}

}  // namespace

ExitCode scenarios_command(const ScenarioOptions& options) {
  return finished(list(options));
}
ExitCode validate_command(const ScenarioOptions& options) {
  return finished(validate(options));
}
ExitCode render_command(const ScenarioOptions& options) {
  return finished(render(options));
}

}  // namespace sglexp
