// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/sections.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/scenario/arms.h"
#include "harness/scenario/choices.h"
#include "harness/scenario/owned_words.h"

namespace sglexp {

namespace {

// Ceilings far above real use: a typing error is found here and not in a queue.
constexpr int kMostNodes = 4096;
constexpr int kMostGpus = 64;
constexpr int kMostCpus = 4096;
constexpr int kMostBlocks = 1000;
constexpr int kMostTokens = 1'000'000;
constexpr int kMostRequests = 1'000'000;
constexpr std::int64_t kMostSeed = (std::int64_t{1} << 53) - 1;  // exact in every JSON reader

void read_allocation(MapReader& in, AllocationSpec& out) {
  in.integer("nodes", out.nodes, 1, kMostNodes);
  in.text("node_type", out.node_type);
  in.integer("gpus_per_node", out.gpus_per_node, 0, kMostGpus);
  int cpus = 0;
  if (in.integer("cpus_per_node", cpus, 1, kMostCpus)) {
    out.cpus_per_node = cpus;
  }
  in.flag("exclusive", out.exclusive);
  if (in.duration("time_limit", out.time_limit) && out.time_limit < std::chrono::minutes(2)) {
    in.problem("time_limit",
               "must be at least 2m: Slurm warns a job up to two minutes before the "
               "end, and teardown needs the warning");
  }
  std::int64_t memory = 0;
  if (in.size("memory_per_node", memory)) {
    out.memory_per_node = memory;
  }
  in.require("node_type");
  in.require("gpus_per_node");
  in.require("time_limit");
}

void read_router(MapReader& in, RouterSpec& out) {
  in.flag("enabled", out.enabled);
  in.name("kind", out.kind);
  in.word("policy", out.policy,
          {"round_robin", "random", "cache_aware", "power_of_two", "bucket", "manual",
           "consistent_hashing", "prefix_hash"});
  if (in.flags("args", out.args)) {
    check_router_flags(in, "args");
  }
  in.text("node", out.node);
}

void read_dataset(MapReader& in, DatasetSpec& out) {
  in.word("kind", out.kind, {"random"});
  in.integer("input_tokens", out.input_tokens, 1, kMostTokens);
  in.integer("output_tokens", out.output_tokens, 1, kMostTokens);
}

void read_load(MapReader& in, LoadSpec& out) {
  in.word("api", out.api, {"generate", "completions", "chat"});
  in.object("dataset", [&](MapReader& dataset) { read_dataset(dataset, out.dataset); });
  in.integer("warmup_requests", out.warmup_requests, 0, kMostRequests);
  in.text("node", out.node);
  in.objects("points", [&](MapReader& item) {
    LoadPoint point;
    item.name("name", point.name);
    item.integer("concurrency", point.concurrency, 1, kMostRequests);
    item.integer("requests", point.requests, 1, kMostRequests);
    for (const std::string_view key : {"name", "concurrency", "requests"}) {
      item.require(key);
    }
    const auto same = [&](const LoadPoint& other) { return other.name == point.name; };
    if (!point.name.empty() && std::any_of(out.points.begin(), out.points.end(), same)) {
      item.problem("name", fmt::format("'{}' is there twice: names must differ", point.name));
    }
    out.points.push_back(std::move(point));
  });
  in.require("points");
}

void read_repeats(MapReader& in, RepeatSpec& out) {
  in.integer("blocks", out.blocks, 1, kMostBlocks);
  in.choice("order", out.order, kBlockOrders);
  std::int64_t seed = 0;
  if (in.integer("seed", seed, 0, kMostSeed)) {
    out.seed = static_cast<std::uint64_t>(seed);
  }
  in.choice("jobs", out.job_per_slot, kJobsPerSlot);
}

void read_deadlines(MapReader& in, Deadlines& out) {
  in.duration("queue", out.queue);
  in.duration("probe", out.probe);
  in.duration("ready", out.ready);
  in.duration("no_progress", out.no_progress);
  in.duration("warmup", out.warmup);
  in.duration("load", out.load);
  in.duration("first_token", out.first_token);
  in.duration("token_gap", out.token_gap);
  in.duration("request", out.request);
  in.duration("teardown", out.teardown);
}

void read_checks(MapReader& in, std::map<std::string, CheckLevel>& out) {
  // Check names belong to the probe's catalogue, so the keys are free here.
  for (const YamlNode& entry : in.node().children) {
    CheckLevel level = CheckLevel::kRequired;
    if (in.choice(entry.key, level, kCheckLevels)) {
      out[entry.key] = level;
    }
  }
}

void read_gate(MapReader& in, GateSpec& out) {
  const std::vector<std::string> names(gate_metrics().begin(), gate_metrics().end());
  if (in.text("metric", out.metric) &&
      std::find(names.begin(), names.end(), out.metric) == names.end()) {
    const auto guess = nearest(out.metric, names);
    in.problem("metric", fmt::format("no metric '{}' ({})", printable(out.metric, 60),
                                     guess ? fmt::format("did you mean '{}'?", *guess)
                                           : "known: " + join(names, ", ")));
  }
  in.texts("load_points", out.load_points);
  in.percent("margin", out.margin);
  in.flag("fails_run", out.fails_run);
  in.require("metric");
  in.require("margin");
}

}  // namespace

void read_engine(MapReader& in, EngineSpec& out) {
  in.name("kind", out.kind);
  in.text("model", out.model);
  if (in.text("served_model_name", out.served_model_name) &&
      out.served_model_name.find(':') != std::string::npos) {
    in.problem("served_model_name", "SGLang refuses a ':' in this name");
  }
  in.integer("tp", out.tp, 1, kMostGpus);
  in.integer("workers_per_node", out.workers_per_node, 1, kMostGpus);
  if (in.flags("args", out.args)) {
    check_engine_flags(in, "args");
  }
  if (in.variables("env", out.env)) {
    check_variables(in, "env");
  }
}

void read_placement(MapReader& in, PlacementSpec& out) {
  in.choice("by", out.by, kPlacementBy);
  in.choice("policy", out.policy, kPlacementPolicies);
  in.texts("gpus", out.gpus);
  in.integer("cpus_per_worker", out.cpus_per_worker, 0, kMostCpus);
  in.integer("service_cpus", out.service_cpus, 1, kMostCpus);
  if (in.texts("request_args", out.request_args)) {
    check_sbatch_words(in, "request_args", out.request_args);
  }
}

void read_scenario(MapReader& in, Scenario& out) {
  in.name("name", out.name);
  in.text("description", out.description);
  in.object("allocation", [&](MapReader& map) { read_allocation(map, out.allocation); });
  in.object("engine", [&](MapReader& map) { read_engine(map, out.engine); });
  in.object("router", [&](MapReader& map) { read_router(map, out.router); });
  in.object("placement", [&](MapReader& map) { read_placement(map, out.placement); });
  read_arms(in, out);  // after what they start from
  in.object("load", [&](MapReader& map) { read_load(map, out.load); });
  in.object("repeats", [&](MapReader& map) { read_repeats(map, out.repeats); });
  in.object("deadlines", [&](MapReader& map) { read_deadlines(map, out.deadlines); });
  in.object("checks", [&](MapReader& map) { read_checks(map, out.checks); });
  in.objects("gates", [&](MapReader& map) { read_gate(map, out.gates.emplace_back()); });
  in.require("name");
  in.require("allocation");
}

}  // namespace sglexp
