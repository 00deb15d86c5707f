// SPDX-License-Identifier: Apache-2.0
// The effective values of a cluster profile as JSON, in the words that the file uses.
#include <nlohmann/json.hpp>

#include "harness/scenario/choices.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/json_text.h"

namespace sglexp {

namespace {

using Json = nlohmann::ordered_json;

Json limits_json(const LimitDemands& limits) {
  Json json = {{"open_files", nullptr}, {"memlock", nullptr}};
  if (limits.open_files) {
    json["open_files"] = *limits.open_files;
  }
  if (limits.memlock) {
    json["memlock"] = *limits.memlock;
  }
  return json;
}

Json node_types_json(const std::map<std::string, NodeTypeSpec>& types) {
  Json json = Json::object();
  for (const auto& [name, type] : types) {
    json[name] = {
        {"gpus", type.gpus}, {"cpus", type.cpus}, {"gres", type.gres}, {"topology", type.topology}};
  }
  return json;
}

Json engines_json(const std::map<std::string, EngineInstall>& engines) {
  Json json = Json::object();
  for (const auto& [name, engine] : engines) {
    json[name] = {{"command", engine.command}, {"env", masked(engine.env)}, {"fake", engine.fake}};
  }
  return json;
}

}  // namespace

std::string cluster_profile_to_json(const ClusterProfile& profile) {
  return json_text({{"name", profile.name},
                    {"description", profile.description},
                    {"scheduler", choice_name(kSchedulers, profile.scheduler)},
                    {"mock_cluster", profile.mock_cluster},
                    {"poll_period", format_duration(profile.poll_period)},
                    {"poll_period_reason", profile.poll_period_reason},
                    {"partition", profile.partition},
                    {"account", profile.account},
                    {"qos", profile.qos},
                    {"reservation", profile.reservation},
                    {"exclude", profile.exclude},
                    {"constraint", profile.constraint},
                    {"sbatch_args", profile.sbatch_args},
                    {"setup", profile.setup},
                    {"runs_dir", profile.runs_dir},
                    {"cache_root", profile.cache_root},
                    {"port_base", profile.port_base},
                    {"port_count", profile.port_count},
                    {"loopback_addresses", profile.loopback_addresses},
                    {"limits", limits_json(profile.limits)},
                    {"clock_offset", format_duration(profile.clock_offset)},
                    {"node_types", node_types_json(profile.node_types)},
                    {"engines", engines_json(profile.engines)}});
}

}  // namespace sglexp
