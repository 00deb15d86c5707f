// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan_json.h"

#include <nlohmann/json.hpp>

#include "harness/scenario/json_text.h"

namespace sglexp {

namespace {

using Json = nlohmann::ordered_json;

double seconds(Nanos duration) {
  return std::chrono::duration<double>(duration).count();
}

Json slots_json(const Scenario& scenario, const Plan& plan) {
  Json list = Json::array();
  for (const SlotPlan& slot : plan.slots) {
    Json trials = Json::array();
    for (const TrialPlan& trial : slot.trials) {
      const auto point = static_cast<std::size_t>(trial.load_point);
      trials.push_back(
          {{"load_point", scenario.load.points[point].name}, {"prompt_seed", trial.prompt_seed}});
    }
    list.push_back({{"index", slot.index},
                    {"block", slot.block},
                    {"position", slot.position},
                    {"arm", scenario.arms[static_cast<std::size_t>(slot.arm)].name},
                    {"launch_seed", slot.launch_seed},
                    {"trials", trials}});
  }
  return list;
}

Json identity_json(const Scenario& scenario, const ClusterProfile& profile, const Plan& plan) {
  Json jobs = Json::array();
  for (const JobPlan& job : plan.jobs) {
    jobs.push_back({{"name", job.name}, {"slots", job.slots}});
  }
  return {{"schema", "sglexp-plan/1"},
          {"scenario", Json::parse(scenario_to_json(scenario))},
          {"cluster", Json::parse(cluster_profile_to_json(profile))},
          {"jobs", jobs},
          {"slots", slots_json(scenario, plan)}};
}

}  // namespace

std::string plan_identity(const Scenario& scenario, const ClusterProfile& profile,
                          const Plan& plan) {
  return json_text(identity_json(scenario, profile, plan));
}

std::string plan_to_json(const Scenario& scenario, const ClusterProfile& profile,
                         const Plan& plan) {
  Json json = identity_json(scenario, profile, plan);
  json["trials"] = plan.trials;
  json["simulated"] = plan.simulated;
  json["simulated_why"] = plan.simulated_why;
  json["estimated_s"] = seconds(plan.estimated);
  json["worst_case_s"] = seconds(plan.worst_case);
  json["gpu_hours"] = plan.gpu_hours;
  json["digest"] = plan.digest;
  return json_text(json);
}

}  // namespace sglexp
