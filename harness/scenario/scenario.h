// SPDX-License-Identifier: Apache-2.0
// What to run: the declared scenario, as plain values, with every default filled in.
// Fields are documented for users in scenarios/README.md; the two must agree (a test checks names).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace sglexp {

// What Slurm is asked for. All counts are per job.
struct AllocationSpec {
  int nodes = 1;
  std::string node_type;  // names a node type of the cluster profile ("mi210")
  int gpus_per_node = 0;  // GPUs asked of Slurm on each node
  std::optional<int>
      cpus_per_node;  // unset: all of the node's with `exclusive`, else the profile's
  bool exclusive = false;
  Nanos time_limit{0};
  std::optional<std::int64_t> memory_per_node;  // bytes; unset: all of a whole node
};

struct EngineSpec {
  std::string kind = "sglang";  // key of the profile's `engines`
  std::string model;
  std::string served_model_name;  // empty: model
  int tp = 1;                     // tensor-parallel GPUs of one worker
  int workers_per_node = 1;
  std::map<std::string, std::string> args;  // further flags without the dashes; "" = switch
  std::map<std::string, std::string> env;
};

struct RouterSpec {
  bool enabled = true;
  std::string kind = "sglang_router";  // key of the profile's `engines`
  std::string policy = "round_robin";
  std::map<std::string, std::string> args;
  std::string node;  // empty: the batch host
};

enum class PlacementBy { kSelect, kRequest };  // choose within what Slurm gave, or let Slurm choose
enum class PlacementPolicy { kSameNuma, kCrossNuma, kPack, kExplicit };
[[nodiscard]] std::string_view placement_policy_name(PlacementPolicy policy);

struct PlacementSpec {
  PlacementBy by = PlacementBy::kSelect;
  PlacementPolicy policy = PlacementPolicy::kPack;
  std::vector<std::string> gpus;  // explicit: indices or PCI addresses, same on every node
  int cpus_per_worker = 0;  // 0: all allocated CPUs of its NUMA nodes that services do not hold
  int service_cpus = 2;     // CPUs for the router and again for the load client
  std::vector<std::string> request_args;  // by request: the sbatch words that ask for the policy
};

struct ArmSpec {
  std::string name;
  bool base = false;
  PlacementSpec placement;           // effective: the scenario's, with the arm's changes
  EngineSpec engine;                 // effective
  std::vector<std::string> factors;  // what the arm changes, "placement.policy=same_numa"
};

struct DatasetSpec {
  std::string kind = "random";
  int input_tokens = 128;
  int output_tokens = 64;
};

struct LoadPoint {
  std::string name;     // "c16"
  int concurrency = 1;  // closed loop
  int requests = 0;     // per trial
};

struct LoadSpec {
  std::string api = "generate";  // generate, completions, chat
  DatasetSpec dataset;
  std::vector<LoadPoint> points;
  int warmup_requests = 0;  // before each load point, discarded
  std::string node;         // empty: the batch host
};

enum class BlockOrder { kAbba, kShuffled };
struct RepeatSpec {
  int blocks = 1;
  BlockOrder order = BlockOrder::kShuffled;
  std::uint64_t seed = 1;
  bool job_per_slot = false;  // jobs: per_slot; implied by placement by request
};

// Every wait has one. no_progress ends a wait whose log has stopped growing.
struct Deadlines {
  Nanos queue = std::chrono::hours(4);  // pending budget
  Nanos probe = std::chrono::minutes(3);
  Nanos ready = std::chrono::minutes(30);  // launch until a streamed request succeeds
  Nanos no_progress = std::chrono::minutes(10);
  Nanos warmup = std::chrono::minutes(5);
  Nanos load = std::chrono::minutes(20);        // one load point
  Nanos first_token = std::chrono::minutes(2);  // one request
  Nanos token_gap = std::chrono::minutes(1);    // between two events of one stream
  Nanos request = std::chrono::minutes(10);     // one request, whole
  Nanos teardown = std::chrono::minutes(2);
};

struct GateSpec {
  std::string metric;                    // "output_tok_s"
  std::vector<std::string> load_points;  // empty: all
  double margin = 0;                     // relative
  bool fails_run = false;
};

enum class CheckLevel { kRequired, kOptional, kOff };

struct Scenario {
  std::string name;
  std::string description;
  std::string file;  // where it came from
  AllocationSpec allocation;
  EngineSpec engine;
  RouterSpec router;
  PlacementSpec placement;
  std::vector<ArmSpec> arms;  // in file order; exactly one is base when there are several
  LoadSpec load;              // no points: a checks-only scenario
  RepeatSpec repeats;
  Deadlines deadlines;
  std::map<std::string, CheckLevel> checks;  // only what the scenario switches
  std::vector<GateSpec> gates;
};

// A file whose YAML, schema or meaning is wrong. The message is one line per problem:
// "numa_compare.yaml:12:3: unknown key 'placment' in the scenario (did you mean 'placement'?)".
// `overrides` are "key.path=value" from --set, applied before validation; `only_arms` keeps some
// arms.
struct LoadOptions {
  std::vector<std::string> overrides;
  std::vector<std::string> only_arms;
  std::vector<std::string> known_checks;  // the probe catalogue's ids; empty: not compared with it
};
[[nodiscard]] Result<Scenario> load_scenario(const std::string& path,
                                             const LoadOptions& options = {});
// The same from text already in memory; `path` names it in messages.
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view yaml, const std::string& path,
                                              const LoadOptions& options = {});
// Effective values as JSON, stable key order, secrets masked, without `file`: stored with the run,
// hashed for comparability.
[[nodiscard]] std::string scenario_to_json(const Scenario& scenario);

// The metrics that a gate may name, in the order in which reports list them.
[[nodiscard]] std::span<const std::string_view> gate_metrics();
// Does a flag or environment variable of this name hold a secret ("api-key", "HF_TOKEN")? Its value
// is never shown or stored.
[[nodiscard]] bool is_secret_name(std::string_view name);

}  // namespace sglexp
