// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/digest.h"
#include "harness/base/text.h"
#include "harness/probe/catalogue.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

constexpr const char* kSchema = "sglexp-run-dir/1";

Status copy_file(const std::string& from, const std::string& to) {
  SGLEXP_TRY(const std::string text, read_file(from, 4 << 20));
  return write_file_atomic(to, text, 0600);  // an engine's environment may hold secrets
}

std::string identity_json(const RunFiles& run) {
  return json({{"schema", kSchema},
               {"uuid", run.uuid},
               {"token", run.token},
               {"created_utc", run.created_utc},
               {"tool_version", kToolVersion},
               {"database", run.database},
               {"scenario_file", run.scenario.file},
               {"profile_file", run.profile.file},
               {"set", run.overrides.scenario},
               {"only", run.overrides.arms},
               {"profile_set", run.overrides.profile},
               {"plan_digest", run.plan.digest}})
      .dump(2);
}

}  // namespace

Result<Scenario> load_known_scenario(const std::string& path, const RunOverrides& overrides) {
  LoadOptions options{.overrides = overrides.scenario, .only_arms = overrides.arms};
  for (const CheckDefinition& check : check_catalogue()) {
    options.known_checks.emplace_back(check.id);
  }
  return load_scenario(path, options);
}

Result<RunFiles> load_inputs(const RunInputs& inputs) {
  RunFiles run{.overrides = inputs.overrides};
  SGLEXP_TRY(run.scenario, load_known_scenario(inputs.scenario_path, inputs.overrides));
  SGLEXP_TRY(run.profile, load_cluster_profile(inputs.profile_path, inputs.overrides.profile));
  SGLEXP_TRY(run.plan, expand(run.scenario, run.profile));
  return run;
}

Status create_run(RunFiles& run, const RunInputs& inputs, const std::string& runs_root,
                  const std::string& database, const std::string& created_utc) {
  run.uuid = make_uuid();
  run.token = run.uuid.substr(0, 8) + run.uuid.substr(9, 4);
  run.created_utc = created_utc;
  run.database = database;
  std::string stamp = created_utc.substr(0, 19);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  run.dir = RunDir(fmt::format("{}/{}-{}-{}", runs_root, stamp, run.scenario.name, run.token));
  SGLEXP_CHECK(make_directories(runs_root));
  SGLEXP_CHECK(make_directories(run.dir.root(), 0700));
  for (const char* part : {"jobs", "slots", "trials"}) {
    SGLEXP_CHECK(make_directories(run.dir.file(part)));
  }
  SGLEXP_CHECK(copy_file(inputs.scenario_path, run.dir.file("scenario.yaml")));
  SGLEXP_CHECK(copy_file(inputs.profile_path, run.dir.file("profile.yaml")));
  SGLEXP_CHECK(write_file_atomic(run.dir.file("plan.json"),
                                 plan_to_json(run.scenario, run.profile, run.plan)));
  // Last: a directory without run.json is not a run, so a crash before this leaves nothing half made.
  return write_file_atomic(run.dir.file("run.json"), identity_json(run));
}

Result<RunFiles> load_run(const std::string& directory) {
  SGLEXP_TRY(const std::string text, read_file(directory + "/run.json", 1 << 20));
  RunFiles run{.dir = RunDir(directory)};
  std::string digest;
  std::string version;
  try {
    const json identity = json::parse(text);
    if (identity.at("schema") != kSchema) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("{}/run.json is not of schema {}", directory, kSchema)};
    }
    run.uuid = identity.at("uuid");
    run.token = identity.at("token");
    run.created_utc = identity.at("created_utc");
    run.database = identity.at("database");
    run.overrides = {.scenario = identity.at("set"),
                     .arms = identity.at("only"),
                     .profile = identity.at("profile_set")};
    digest = identity.at("plan_digest");
    version = identity.at("tool_version");
  } catch (const json::exception& problem) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("{}/run.json: {}", directory, problem.what())};
  }
  SGLEXP_TRY(RunFiles inputs, load_inputs({.scenario_path = directory + "/scenario.yaml",
                                           .profile_path = directory + "/profile.yaml",
                                           .overrides = run.overrides}));
  run.scenario = std::move(inputs.scenario);
  run.profile = std::move(inputs.profile);
  run.plan = std::move(inputs.plan);
  if (run.plan.digest != digest) {
    return Error{
        ErrorCode::kInvalidInput,
        fmt::format(
            "{}: the plan expands differently than when it was written by sglexp {} (this is {}): "
            "use that version, or start a new run",
            directory, version, kToolVersion)};
  }
  return run;
}

}  // namespace sglexp
