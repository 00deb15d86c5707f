// SPDX-License-Identifier: Apache-2.0
// The effective values of a scenario as JSON, in the words that the file uses.
#include <nlohmann/json.hpp>

#include "harness/scenario/choices.h"
#include "harness/scenario/json_text.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

namespace {

using Json = nlohmann::ordered_json;

Json allocation_json(const AllocationSpec& allocation) {
  Json json = {{"nodes", allocation.nodes},
               {"node_type", allocation.node_type},
               {"gpus_per_node", allocation.gpus_per_node},
               {"cpus_per_node", nullptr},
               {"exclusive", allocation.exclusive},
               {"time_limit", format_duration(allocation.time_limit)},
               {"memory_per_node", nullptr}};
  if (allocation.cpus_per_node) {
    json["cpus_per_node"] = *allocation.cpus_per_node;
  }
  if (allocation.memory_per_node) {
    json["memory_per_node"] = format_size(*allocation.memory_per_node);
  }
  return json;
}

Json engine_json(const EngineSpec& engine) {
  return {{"kind", engine.kind},
          {"model", engine.model},
          {"served_model_name", engine.served_model_name},
          {"tp", engine.tp},
          {"workers_per_node", engine.workers_per_node},
          {"args", masked(engine.args)},
          {"env", masked(engine.env)}};
}

Json router_json(const RouterSpec& router) {
  return {{"enabled", router.enabled},
          {"kind", router.kind},
          {"policy", router.policy},
          {"args", masked(router.args)},
          {"node", router.node}};
}

Json placement_json(const PlacementSpec& placement) {
  return {{"by", choice_name(kPlacementBy, placement.by)},
          {"policy", placement_policy_name(placement.policy)},
          {"gpus", placement.gpus},
          {"cpus_per_worker", placement.cpus_per_worker},
          {"service_cpus", placement.service_cpus},
          {"request_args", placement.request_args}};
}

Json arms_json(const std::vector<ArmSpec>& arms) {
  Json list = Json::array();
  for (const ArmSpec& arm : arms) {
    list.push_back({{"name", arm.name},
                    {"base", arm.base},
                    {"factors", arm.factors},
                    {"placement", placement_json(arm.placement)},
                    {"engine", engine_json(arm.engine)}});
  }
  return list;
}

Json load_json(const LoadSpec& load) {
  Json points = Json::array();
  for (const LoadPoint& point : load.points) {
    points.push_back(
        {{"name", point.name}, {"concurrency", point.concurrency}, {"requests", point.requests}});
  }
  return {{"api", load.api},
          {"dataset",
           {{"kind", load.dataset.kind},
            {"input_tokens", load.dataset.input_tokens},
            {"output_tokens", load.dataset.output_tokens}}},
          {"points", points},
          {"warmup_requests", load.warmup_requests},
          {"node", load.node}};
}

Json deadlines_json(const Deadlines& deadlines) {
  return {{"queue", format_duration(deadlines.queue)},
          {"probe", format_duration(deadlines.probe)},
          {"ready", format_duration(deadlines.ready)},
          {"no_progress", format_duration(deadlines.no_progress)},
          {"warmup", format_duration(deadlines.warmup)},
          {"load", format_duration(deadlines.load)},
          {"first_token", format_duration(deadlines.first_token)},
          {"token_gap", format_duration(deadlines.token_gap)},
          {"request", format_duration(deadlines.request)},
          {"teardown", format_duration(deadlines.teardown)}};
}

Json gates_json(const std::vector<GateSpec>& gates) {
  Json list = Json::array();
  for (const GateSpec& gate : gates) {
    list.push_back({{"metric", gate.metric},
                    {"load_points", gate.load_points},
                    {"margin", gate.margin},
                    {"fails_run", gate.fails_run}});
  }
  return list;
}

}  // namespace

std::string scenario_to_json(const Scenario& scenario) {
  Json checks = Json::object();
  for (const auto& [name, level] : scenario.checks) {
    checks[name] = choice_name(kCheckLevels, level);
  }
  const RepeatSpec& repeats = scenario.repeats;
  return json_text({{"name", scenario.name},
                    {"description", scenario.description},
                    {"allocation", allocation_json(scenario.allocation)},
                    {"engine", engine_json(scenario.engine)},
                    {"router", router_json(scenario.router)},
                    {"placement", placement_json(scenario.placement)},
                    {"arms", arms_json(scenario.arms)},
                    {"load", load_json(scenario.load)},
                    {"repeats",
                     {{"blocks", repeats.blocks},
                      {"order", choice_name(kBlockOrders, repeats.order)},
                      {"seed", repeats.seed},
                      {"jobs", choice_name(kJobsPerSlot, repeats.job_per_slot)}}},
                    {"deadlines", deadlines_json(scenario.deadlines)},
                    {"checks", checks},
                    {"gates", gates_json(scenario.gates)}});
}

}  // namespace sglexp
