// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_info_builder.h"

#include <nlohmann/json.hpp>

#include "harness/base/digest.h"

namespace sglexp {

namespace {

using nlohmann::json;

// Raised when the meaning of a stored metric changes (harness/load/metrics.h).
constexpr int kMetricDefinitions = 1;

std::string compare_key(const RunFiles& run, const ArmSpec& arm) {
  const json scenario = json::parse(scenario_to_json(run.scenario));
  const json profile = json::parse(cluster_profile_to_json(run.profile));
  json key = {{"metric_definitions", kMetricDefinitions}, {"simulated", run.plan.simulated}};
  for (const char* part : {"allocation", "engine", "router", "load"}) {
    key[part] = scenario.value(part, json());
  }
  key["factors"] = arm.factors;
  key["node_type"] =
      profile.value("node_types", json::object()).value(run.scenario.allocation.node_type, json());
  return sha256_hex(key.dump());
}

// A file of the user's own is named by its path; one that ships by its name.
std::string named(const std::string& file, const std::string& name) {
  return file.find("/share/sglexp/") != std::string::npos ? name : file;
}

json invocation(const RunFiles& run) {
  return {{"scenario", named(run.scenario.file, run.scenario.name)},
          {"cluster", named(run.profile.file, run.profile.name)},
          {"set", run.overrides.scenario},
          {"only", run.overrides.arms}};
}

}  // namespace

RunInfo make_run_info(const RunFiles& run) {
  RunInfo info{.uuid = run.uuid,
               .token = run.token,
               .scenario = run.scenario.name,
               .cluster = run.profile.name,
               .started_utc = run.created_utc,
               .run_dir = run.dir.root(),
               .spec_json = json({{"scenario", json::parse(scenario_to_json(run.scenario))},
                                  {"cluster", json::parse(cluster_profile_to_json(run.profile))},
                                  {"invocation", invocation(run)}})
                                .dump(),
               .spec_hash = run.plan.digest,
               .seed = run.scenario.repeats.seed,
               .tool_version = kToolVersion,
               .simulated = run.plan.simulated,
               .simulated_why = run.plan.simulated_why};
  for (const ArmSpec& arm : run.scenario.arms) {
    info.arms.push_back({.name = arm.name,
                         .is_base = arm.base,
                         .factors_json = json(arm.factors).dump(),
                         .compare_key = compare_key(run, arm)});
  }
  return info;
}

}  // namespace sglexp
