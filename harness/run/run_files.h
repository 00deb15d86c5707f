// SPDX-License-Identifier: Apache-2.0
// A run on disk: created once by the controller, loaded again by the agent and by `attach`.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/run/run_dir.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/plan.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

inline constexpr const char* kToolVersion = "0.1.0";

// How the inputs were changed on the command line; applied again whenever they are read.
struct RunOverrides {
  std::vector<std::string> scenario;  // --set
  std::vector<std::string> arms;      // --only
  std::vector<std::string> profile;   // --account, --qos ... as key=value
};

struct RunFiles {
  RunDir dir{""};
  std::string uuid;
  std::string token;  // short, unique, in every job name, comment and process environment
  std::string created_utc;
  std::string database;  // absolute path: `attach` needs no flags
  RunOverrides overrides;
  Scenario scenario;
  ClusterProfile profile;
  Plan plan;
};

struct RunInputs {
  std::string scenario_path;
  std::string profile_path;
  RunOverrides overrides;
};

// Reads and validates a scenario, the names of its checks included.
[[nodiscard]] Result<Scenario> load_known_scenario(const std::string& path,
                                                   const RunOverrides& overrides);

// Reads, validates and expands; touches nothing.
[[nodiscard]] Result<RunFiles> load_inputs(const RunInputs& inputs);

// Gives the run an identity and writes its directory below `runs_root`.
[[nodiscard]] Status create_run(RunFiles& run, const RunInputs& inputs,
                                const std::string& runs_root, const std::string& database,
                                const std::string& created_utc);

// kInvalidInput where the expanded plan is not the one that was written: another version of sglexp,
// or files that were edited.
[[nodiscard]] Result<RunFiles> load_run(const std::string& directory);

}  // namespace sglexp
