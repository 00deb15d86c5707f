// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/rules.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/scenario/choices.h"

namespace sglexp {

namespace {

constexpr std::size_t kMostSlots = 10'000;  // engine launches in one run

// Where the arm's value of `path` was written: in the arm, or in the scenario that it starts from.
std::string place_of(const ArmSpec& arm, const std::string& path, const ReadLog& log) {
  const std::string own = fmt::format("arms.{}.{}", arm.name, path);
  return log.has(own) ? own : path;
}

void report(const ArmSpec& arm, const std::string& path, const std::string& text, ReadLog& log) {
  const std::string place = place_of(arm, path, log);
  const bool inherited = place == path && log.has("arms." + arm.name);
  log.problem_at(place, fmt::format("{}: {}{}", place, text,
                                    inherited ? fmt::format(" (arm {})", arm.name) : ""));
}

void check_gpu_counts(const Scenario& scenario, const ArmSpec& arm, ReadLog& log) {
  const EngineSpec& engine = arm.engine;
  const int needed = engine.tp * engine.workers_per_node;
  if (needed > scenario.allocation.gpus_per_node) {
    report(
        arm, "engine.tp",
        fmt::format("{} worker(s) a node with tp {} need {} GPUs, but allocation.gpus_per_node "
                    "is {}",
                    engine.workers_per_node, engine.tp, needed, scenario.allocation.gpus_per_node),
        log);
  }
  if (arm.placement.policy == PlacementPolicy::kCrossNuma && engine.tp % 2 != 0) {
    report(arm, "placement.policy",
           fmt::format("cross_numa puts half of a worker's GPUs on each NUMA node, so engine.tp "
                       "must be even, not {}",
                       engine.tp),
           log);
  }
}

void check_explicit_gpus(const ArmSpec& arm, ReadLog& log) {
  const PlacementSpec& placement = arm.placement;
  if (placement.policy != PlacementPolicy::kExplicit) {
    if (!placement.gpus.empty()) {
      report(arm, "placement.gpus", "only the policy 'explicit' uses a list of GPUs", log);
    }
    return;
  }
  const auto needed = static_cast<std::size_t>(arm.engine.tp) *
                      static_cast<std::size_t>(arm.engine.workers_per_node);
  if (placement.gpus.size() != needed) {
    report(arm, "placement.gpus",
           fmt::format("expected {} GPUs (engine.tp x engine.workers_per_node), found {}", needed,
                       placement.gpus.size()),
           log);
  }
  const std::set<std::string> distinct(placement.gpus.begin(), placement.gpus.end());
  if (distinct.size() != placement.gpus.size()) {
    report(arm, "placement.gpus", "a GPU is there twice", log);
  }
  for (const std::string& gpu : placement.gpus) {
    const bool is_index =
        !gpu.empty() && gpu.size() <= 3 && gpu.find_first_not_of("0123456789") == std::string::npos;
    const bool is_pci = gpu.size() == 12 && gpu[4] == ':' && gpu[7] == ':' && gpu[10] == '.';
    if (!is_index && !is_pci) {
      report(arm, "placement.gpus",
             fmt::format("'{}' is neither a GPU index (4) nor a PCI address (0000:83:00.0)",
                         printable(gpu, 60)),
             log);
    }
  }
}

// Slurm has no option that names GPUs; these requests were seen to give the two layouts where
// gres.conf tells it which cores are near which GPU. The node verifies the result.
std::vector<std::string> derive_request(const Scenario& scenario, const PlacementSpec& placement) {
  const int gpus = scenario.allocation.gpus_per_node;
  std::vector<std::string> words = {
      "--ntasks-per-node=1",
      fmt::format("--cpus-per-task={}", scenario.allocation.cpus_per_node.value_or(1))};
  if (placement.policy == PlacementPolicy::kCrossNuma) {
    words.emplace_back("--sockets-per-node=2");
    words.push_back(fmt::format("--gpus-per-socket={}", gpus / 2));
  } else {
    words.push_back(fmt::format("--gpus-per-node={}", gpus));
  }
  return words;
}

void check_request(const Scenario& scenario, ArmSpec& arm, ReadLog& log) {
  PlacementSpec& placement = arm.placement;
  if (placement.by == PlacementBy::kSelect) {
    if (!placement.request_args.empty()) {
      report(arm, "placement.request_args", "only used with 'by: request'", log);
    }
    return;
  }
  if (placement.policy == PlacementPolicy::kExplicit) {
    report(arm, "placement.policy",
           "Slurm cannot be asked for particular GPUs: use 'by: select' with 'explicit'", log);
    return;
  }
  if (!placement.request_args.empty()) {
    return;
  }
  if (!scenario.allocation.cpus_per_node) {
    report(arm, "placement.by",
           "'request' needs allocation.cpus_per_node: how many CPUs are asked for decides which "
           "GPUs Slurm picks",
           log);
  } else if (placement.policy == PlacementPolicy::kCrossNuma &&
             scenario.allocation.gpus_per_node % 2 != 0) {
    report(arm, "placement.policy",
           "cross_numa by request asks for half of the GPUs on each socket, so "
           "allocation.gpus_per_node must be even",
           log);
  } else {
    placement.request_args = derive_request(scenario, placement);
  }
}

void check_arms(Scenario& scenario, ReadLog& log) {
  const bool shared_ok = log.clean("engine") && log.clean("placement") && log.clean("allocation");
  for (ArmSpec& arm : scenario.arms) {
    if (!shared_ok || !log.clean("arms." + arm.name)) {
      continue;
    }
    if (!scenario.load.points.empty()) {
      if (arm.engine.model.empty()) {
        report(arm, "engine.model", "missing: which model is to be served?", log);
      }
      check_gpu_counts(scenario, arm, log);
    }
    check_explicit_gpus(arm, log);
    check_request(scenario, arm, log);
    const int workers = scenario.allocation.nodes * arm.engine.workers_per_node;
    if (!scenario.router.enabled && workers > 1 && !scenario.load.points.empty()) {
      log.problem_at("router.enabled",
                     fmt::format("router.enabled: {} workers need a router: without one the load "
                                 "would reach only the first",
                                 workers));
      return;
    }
  }
}

void settle_jobs(Scenario& scenario, ReadLog& log) {
  const bool by_request =
      std::any_of(scenario.arms.begin(), scenario.arms.end(),
                  [](const ArmSpec& arm) { return arm.placement.by == PlacementBy::kRequest; });
  if (by_request && log.has("repeats.jobs") && !scenario.repeats.job_per_slot) {
    log.problem_at("repeats.jobs",
                   "repeats.jobs: placement by request asks Slurm anew for each slot, so jobs "
                   "cannot be shared: write per_slot");
  }
  scenario.repeats.job_per_slot = scenario.repeats.job_per_slot || by_request;
}

void check_load(const Scenario& scenario, ReadLog& log) {
  if (log.has("load") && scenario.load.points.empty() && log.clean("load")) {
    log.problem_at("load.points",
                   "load.points: empty: leave out 'load' for a scenario of checks only");
  }
  if (scenario.deadlines.first_token > scenario.deadlines.request && log.clean("deadlines")) {
    log.problem_at("deadlines.first_token",
                   "deadlines.first_token: longer than deadlines.request, which ends the whole "
                   "request");
  }
  if (scenario.arms.size() * static_cast<std::size_t>(scenario.repeats.blocks) > kMostSlots) {
    log.problem_at("repeats.blocks",
                   fmt::format("repeats.blocks: more than {} engine launches", kMostSlots));
  }
  for (const LoadPoint& point : scenario.load.points) {
    if (point.requests < point.concurrency && log.clean("load")) {
      log.problem_at("load.points",
                     fmt::format("load.points.{}: {} requests can never be {} at once: raise "
                                 "requests, or lower concurrency",
                                 point.name, point.requests, point.concurrency));
    }
  }
}

// A gate compares arms. One that --only has left without a partner is dropped if it is a finding, and
// refused if it is to fail the run: it could never be evaluated.
void check_gate_partners(Scenario& scenario, const LoadOptions& options, ReadLog& log) {
  if (scenario.arms.size() != 1 || scenario.gates.empty() || !log.clean("load")) {
    return;
  }
  for (std::size_t i = 0; i < scenario.gates.size(); ++i) {
    if (options.only_arms.empty() || scenario.gates[i].fails_run) {
      log.problem_at(fmt::format("gates.{}", i),
                     fmt::format("gates.{}: compares arms, but there is only one", i));
    }
  }
  scenario.gates.clear();
}

void check_gates(const Scenario& scenario, ReadLog& log) {
  std::vector<std::string> names;
  for (const LoadPoint& point : scenario.load.points) {
    names.push_back(point.name);
  }
  for (std::size_t i = 0; i < scenario.gates.size() && log.clean("load"); ++i) {
    const std::string path = fmt::format("gates.{}", i);
    if (names.empty()) {
      log.problem_at(path, path + ": nothing is measured: the scenario has no load points");
    }
    for (const std::string& point : scenario.gates[i].load_points) {
      if (!names.empty() && std::find(names.begin(), names.end(), point) == names.end()) {
        const auto guess = nearest(point, names);
        log.problem_at(
            path + ".load_points",
            fmt::format(
                "{}.load_points: no load point '{}' ({})", path, printable(point, 60),
                guess ? fmt::format("did you mean '{}'?", *guess) : "known: " + join(names, ", ")));
      }
    }
  }
}

void check_check_names(const Scenario& scenario, const std::vector<std::string>& known,
                       ReadLog& log) {
  for (const auto& [name, level] : scenario.checks) {
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
      const auto guess = nearest(name, known);
      log.problem_at("checks." + name,
                     fmt::format("checks.{}: no such check ({})", printable(name, 60),
                                 guess ? fmt::format("did you mean '{}'?", *guess)
                                       : "known: " + join(known, ", ")));
    }
  }
}

}  // namespace

void apply_rules(Scenario& scenario, const LoadOptions& options, ReadLog& log) {
  check_arms(scenario, log);
  settle_jobs(scenario, log);
  check_load(scenario, log);
  check_gates(scenario, log);
  check_gate_partners(scenario, options, log);
  check_check_names(scenario, options.known_checks, log);
}

}  // namespace sglexp
