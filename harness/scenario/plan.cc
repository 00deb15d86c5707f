// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "harness/base/digest.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/scenario/phase_times.h"
#include "harness/scenario/plan_json.h"

namespace sglexp {

namespace {

// SGLang reads --random-seed into a 32-bit signed number; 0 is left out because it is a usual
// default, and the seed has to tell our worker from others.
constexpr std::uint64_t kLaunchSeeds = (std::uint64_t{1} << 31) - 2;

Error unfit(std::string message) {
  return {ErrorCode::kInvalidInput, std::move(message)};
}

template <typename T>
std::string keys_of(const std::map<std::string, T>& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) {
    keys.push_back(key);
  }
  return keys.empty() ? "none" : join(keys, ", ");
}

std::vector<int> arm_order(const Scenario& scenario, int block, Rng& rng) {
  std::vector<int> order(scenario.arms.size());
  std::iota(order.begin(), order.end(), 0);
  if (scenario.repeats.order == BlockOrder::kShuffled) {
    rng.shuffle(order);
  } else if (block % 2 == 1) {
    std::reverse(order.begin(), order.end());  // A B | B A: a linear drift cancels
  }
  return order;
}

// The same for every arm of a block: byte-identical requests, in the same order of load points, so
// that neither tells the arms apart.
std::vector<TrialPlan> block_trials(const Scenario& scenario, int block) {
  std::vector<TrialPlan> trials;
  for (std::size_t i = 0; i < scenario.load.points.size(); ++i) {
    Rng prompts(scenario.repeats.seed,
                fmt::format("prompts/{}/{}", block, scenario.load.points[i].name));
    // 53 bits: exact in every JSON reader.
    trials.push_back({static_cast<int>(i), prompts.next() >> 11});
  }
  Rng order(scenario.repeats.seed, fmt::format("points/{}", block));
  order.shuffle(trials);
  return trials;
}

void fill_slots(const Scenario& scenario, Plan& plan) {
  if (scenario.load.points.empty()) {
    return;  // checks only: nothing is launched
  }
  Rng order(scenario.repeats.seed, "order");
  Rng seeds(scenario.repeats.seed, "launch");
  std::set<std::uint64_t> used;
  for (int block = 0; block < scenario.repeats.blocks; ++block) {
    const std::vector<TrialPlan> trials = block_trials(scenario, block);
    int position = 0;
    for (const int arm : arm_order(scenario, block, order)) {
      std::uint64_t seed = 0;
      do {
        seed = 1 + seeds.below(kLaunchSeeds);
      } while (!used.insert(seed).second);
      const int index = static_cast<int>(plan.slots.size());
      plan.slots.push_back({index, block, position++, arm, seed, trials});
      plan.trials += static_cast<int>(trials.size());
    }
  }
}

void fill_jobs(const Scenario& scenario, Plan& plan) {
  if (!scenario.repeats.job_per_slot || plan.slots.empty()) {
    std::vector<int> all(plan.slots.size());
    std::iota(all.begin(), all.end(), 0);
    plan.jobs.push_back({"shared", std::move(all)});
    return;
  }
  const std::size_t width = std::max<std::size_t>(2, std::to_string(plan.slots.size() - 1).size());
  for (const SlotPlan& slot : plan.slots) {
    plan.jobs.push_back({fmt::format("s{:0{}}-{}", slot.index, width,
                                     scenario.arms[static_cast<std::size_t>(slot.arm)].name),
                         {slot.index}});
  }
}

// Every engine that the run will start, by its name in the profile.
std::set<std::string> engines_used(const Scenario& scenario) {
  std::set<std::string> kinds;
  for (const ArmSpec& arm : scenario.arms) {
    kinds.insert(arm.engine.kind);
  }
  if (scenario.router.enabled) {
    kinds.insert(scenario.router.kind);
  }
  return kinds;
}

Status check_fit(const Scenario& scenario, const ClusterProfile& profile) {
  const AllocationSpec& asked = scenario.allocation;
  const auto type = profile.node_types.find(asked.node_type);
  if (type == profile.node_types.end()) {
    return unfit(
        fmt::format("cluster '{}' has no node type '{}' (it has: {}); change "
                    "allocation.node_type or the profile",
                    profile.name, asked.node_type, keys_of(profile.node_types)));
  }
  if (asked.gpus_per_node > type->second.gpus) {
    return unfit(fmt::format("allocation.gpus_per_node is {}, but a node of type '{}' has {} GPUs",
                             asked.gpus_per_node, asked.node_type, type->second.gpus));
  }
  if (asked.cpus_per_node.value_or(0) > type->second.cpus) {
    return unfit(fmt::format("allocation.cpus_per_node is {}, but a node of type '{}' has {} CPUs",
                             *asked.cpus_per_node, asked.node_type, type->second.cpus));
  }
  for (const std::string& kind : engines_used(scenario)) {
    if (!profile.engines.contains(kind)) {
      return unfit(
          fmt::format("cluster '{}' has no engine '{}' (it has: {}); add it to the "
                      "profile's engines",
                      profile.name, kind, keys_of(profile.engines)));
    }
  }
  return Ok{};
}

void mark_simulated(const Scenario& scenario, const ClusterProfile& profile, Plan& plan) {
  std::vector<std::string> why;
  if (profile.scheduler == SchedulerKind::kMock) {
    why.emplace_back("mock scheduler");
  }
  const std::set<std::string> kinds = engines_used(scenario);
  if (std::any_of(kinds.begin(), kinds.end(),
                  [&](const std::string& kind) { return profile.engines.at(kind).fake; })) {
    why.emplace_back("fake engine");
  }
  if (profile.node_types.at(scenario.allocation.node_type).topology != "discover") {
    why.emplace_back("recorded topology");
  }
  plan.simulated = !why.empty();
  plan.simulated_why = join(why, ", ");
}

Nanos slot_estimate(const Scenario& scenario, const PhaseTimes& times) {
  Nanos sum = times.ready + times.teardown;
  for (const LoadPoint& point : scenario.load.points) {
    sum += times.load_point(scenario.load, point);
  }
  return sum;
}

// Fills the estimates; the error says that a job cannot end within its own time limit.
Status estimate(const Scenario& scenario, const ClusterProfile& profile, Plan& plan) {
  const bool fake =
      std::all_of(scenario.arms.begin(), scenario.arms.end(),
                  [&](const ArmSpec& arm) { return profile.engines.at(arm.engine.kind).fake; });
  const PhaseTimes times = typical_times(fake);
  const Deadlines& limits = scenario.deadlines;
  const auto points = static_cast<std::int64_t>(scenario.load.points.size());
  const Nanos one_slot = slot_estimate(scenario, times);
  const Nanos worst_slot = limits.ready + points * (limits.warmup + limits.load) + limits.teardown;
  Nanos longest{0};
  for (const JobPlan& job : plan.jobs) {
    const auto slots = static_cast<std::int64_t>(job.slots.size());
    const Nanos typical = times.probe + slots * one_slot;
    longest = std::max(longest, typical);
    plan.estimated += typical;
    plan.worst_case += limits.queue + limits.probe + slots * worst_slot;
  }
  // An exclusive job keeps others off the GPUs that it did not ask for, too.
  const AllocationSpec& asked = scenario.allocation;
  const int held =
      asked.exclusive ? profile.node_types.at(asked.node_type).gpus : asked.gpus_per_node;
  plan.gpu_hours =
      std::chrono::duration<double, std::ratio<3600>>(plan.estimated).count() * held * asked.nodes;
  if (longest > asked.time_limit) {
    return unfit(
        fmt::format("allocation.time_limit is {}, but a job is expected to take {}: raise "
                    "it, or lower repeats.blocks or the requests of the load points",
                    format_duration(asked.time_limit), describe_duration(longest)));
  }
  return Ok{};
}

}  // namespace

Result<Plan> expand(const Scenario& scenario, const ClusterProfile& profile) {
  SGLEXP_CHECK(check_fit(scenario, profile));
  Plan plan;
  fill_slots(scenario, plan);
  fill_jobs(scenario, plan);
  mark_simulated(scenario, profile, plan);
  SGLEXP_CHECK(estimate(scenario, profile, plan));
  plan.digest = sha256_hex(plan_identity(scenario, profile, plan));
  return plan;
}

}  // namespace sglexp
