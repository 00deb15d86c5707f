// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/node_checks.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/placement/visibility.h"
#include "harness/probe/catalogue.h"
#include "harness/sys/network.h"

namespace sglexp {

namespace {

std::optional<std::string> variable(const NodeFacts& facts, const std::string& name) {
  const auto found = facts.environment.find(name);
  return found == facts.environment.end() ? std::nullopt : std::optional(found->second);
}

std::string shown(const NodeFacts& facts, const std::string& name) {
  const auto value = variable(facts, name);
  return fmt::format("{}={}", name, value ? printable(*value, 100) : "(unset)");
}

std::vector<std::string> pci_of(const Topology& topology, const std::vector<int>& indices) {
  std::vector<std::string> out;
  for (const int index : indices) {
    const Gpu* gpu = topology.find_index(index);
    out.push_back(gpu != nullptr ? gpu->pci : fmt::format("no GPU {} here", index));
  }
  return out;
}

std::string gpu_list(const std::vector<int>& indices, const std::vector<std::string>& pci) {
  return fmt::format("{} [{}]", format_ranges(indices), fmt::join(pci, " "));
}

CheckResult check_gpu_set(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{
      .id = "gpu_set",
      .evidence = shown(facts, "SLURM_STEP_GPUS") + " " + shown(facts, "SLURM_JOB_GPUS") + " " +
                  shown(facts, "ROCR_VISIBLE_DEVICES"),
      .remedy =
          "add --gres or --gpus-per-node to the step: exclusive jobs do not pass GPUs to steps"};
  const CheckLevel level = spec.levels.at("gpu_set");
  if (!facts.topology.ok()) {
    result.measured = false;
    result.observed = facts.topology.error().message;
    result.remedy = "load the amdgpu driver, or name a recorded topology in the cluster profile";
    return judged(result, false, level);
  }
  result.expected = gpu_list(spec.allocated_gpus, pci_of(*facts.topology, spec.allocated_gpus));
  const auto step_gpus = variable(facts, "SLURM_STEP_GPUS");
  const auto indices = parse_ranges(step_gpus.value_or(""));
  if (!indices) {
    result.measured = false;
    result.observed = "SLURM_STEP_GPUS is not a list of indices";
    return judged(result, false, level);
  }
  result.observed = gpu_list(*indices, pci_of(*facts.topology, *indices));
  return judged(result, *indices == spec.allocated_gpus, level);
}

CheckResult check_visibility(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{.id = "visibility",
                     .evidence = shown(facts, "ROCR_VISIBLE_DEVICES") + " " +
                                 shown(facts, "HIP_VISIBLE_DEVICES") + " " +
                                 shown(facts, "CUDA_VISIBLE_DEVICES")};
  const CheckLevel level = spec.levels.at("visibility");
  if (!facts.topology.ok()) {
    result.measured = false;
    result.observed = "topology unknown: " + facts.topology.error().message;
    return judged(result, false, level);
  }
  const Visibility seen = compose_visibility(runtime_devices(*facts.topology),
                                             {.rocr = variable(facts, "ROCR_VISIBLE_DEVICES"),
                                              .hip = variable(facts, "HIP_VISIBLE_DEVICES"),
                                              .cuda = variable(facts, "CUDA_VISIBLE_DEVICES")});
  const std::vector<std::string> expected = pci_of(*facts.topology, spec.allocated_gpus);
  const VisibilityJudgement judgement = judge_visibility(seen, expected);
  std::vector<std::string> visible;
  for (const VisibleDevice& device : seen.visible) {
    visible.push_back(device.pci);
  }
  result.expected = fmt::format("{} GPUs [{}]", expected.size(), fmt::join(expected, " "));
  result.observed = fmt::format("{} GPUs [{}]", visible.size(), fmt::join(visible, " "));
  if (!judgement.ok) {
    result.observed += ": " + judgement.cause;
    result.remedy = judgement.remedy;
  }
  return judged(result, judgement.ok, level);
}

CheckResult check_cpu_mask(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{
      .id = "cpu_mask",
      .observed = "CPUs " + format_ranges(spec.allocated_cpus),
      .evidence = "scontrol CPU_IDs; Cpus_allowed " + format_ranges(facts.affinity),
      .remedy =
          "ask Slurm for CPUs on every socket whose GPUs you use (-c, --cores-per-socket), or "
          "for the whole node"};
  const CheckLevel level = spec.levels.at("cpu_mask");
  if (!facts.topology.ok() || spec.allocated_cpus.empty()) {
    result.measured = false;
    result.observed = spec.allocated_cpus.empty() ? "Slurm names no CPUs of the job here"
                                                  : facts.topology.error().message;
    return judged(result, false, level);
  }
  // On a recorded topology the host's own mask says nothing; Slurm's CPU ids are what can be
  // judged.
  const std::vector<int>& usable = facts.topology->simulated ? spec.allocated_cpus : facts.affinity;
  std::vector<int> uncovered;
  std::vector<int> wanted;
  for (const int index : spec.allocated_gpus) {
    const Gpu* gpu = facts.topology->find_index(index);
    const NumaNode* numa = gpu != nullptr ? facts.topology->find_numa(gpu->numa) : nullptr;
    if (numa == nullptr || std::find(wanted.begin(), wanted.end(), numa->id) != wanted.end()) {
      continue;
    }
    wanted.push_back(numa->id);
    const bool covered = std::any_of(numa->cpus.begin(), numa->cpus.end(), [&](int cpu) {
      return std::find(usable.begin(), usable.end(), cpu) != usable.end();
    });
    if (!covered) {
      uncovered.push_back(numa->id);
    }
  }
  result.expected = fmt::format("CPUs on NUMA node(s) {}", fmt::join(wanted, ","));
  if (!uncovered.empty()) {
    result.observed += fmt::format(": none on NUMA node(s) {}", fmt::join(uncovered, ","));
  }
  return judged(result, uncovered.empty(), level);
}

CheckResult check_master_addr(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{
      .id = "master_addr",
      .expected = spec.loopback_addresses ? "an address" : "an address that is not loopback",
      .evidence = shown(facts, "MASTER_ADDR"),
      .remedy =
          "make the first node's name resolve to its cluster address here (/etc/hosts or DNS), "
          "not to 127.0.1.1"};
  const CheckLevel level = spec.levels.at("master_addr");
  if (!facts.master_addresses.ok() || facts.master_addresses->empty()) {
    result.measured = false;
    result.observed =
        facts.master_addresses.ok() ? "no address" : facts.master_addresses.error().message;
    return judged(result, false, level);
  }
  result.observed = facts.master_addresses->front();
  return judged(result, spec.loopback_addresses || !is_loopback(result.observed), level);
}

// This node's position in the job, by Slurm's own name for the node; -1 if it is not in the list.
int rank_of(const ProbeSpec& spec, const NodeFacts& facts) {
  const std::string name = variable(facts, "SLURMD_NODENAME").value_or("");
  const auto found = std::find(spec.job_nodes.begin(), spec.job_nodes.end(), name);
  return found == spec.job_nodes.end() ? -1 : static_cast<int>(found - spec.job_nodes.begin());
}

CheckResult check_rank(const ProbeSpec& spec, const NodeFacts& facts) {
  const int rank = rank_of(spec, facts);
  const auto world = std::to_string(spec.job_nodes.size());
  CheckResult result{
      .id = "rank",
      .expected = fmt::format("{} at its place in [{}]", spec.node, fmt::join(spec.job_nodes, " ")),
      .observed =
          fmt::format("rank {} of {}", rank, variable(facts, "SLURM_JOB_NUM_NODES").value_or("?")),
      .evidence = shown(facts, "SLURMD_NODENAME") + " " + shown(facts, "SLURM_JOB_NUM_NODES") +
                  " " + shown(facts, "RANK") + " " + shown(facts, "WORLD_SIZE"),
      .remedy =
          "unset RANK and WORLD_SIZE in the site's setup lines: they are computed on each node"};
  const bool right_node = rank >= 0 && spec.job_nodes[static_cast<std::size_t>(rank)] == spec.node;
  const bool right_size = variable(facts, "SLURM_JOB_NUM_NODES").value_or("") == world;
  const bool inherited_agrees =
      variable(facts, "RANK").value_or(std::to_string(rank)) == std::to_string(rank) &&
      variable(facts, "WORLD_SIZE").value_or(world) == world;
  if (!inherited_agrees) {
    result.observed += ", but the inherited RANK/WORLD_SIZE say otherwise";
  }
  return judged(result, right_node && right_size && inherited_agrees, spec.levels.at("rank"));
}

CheckResult check_cache_dirs(const ProbeSpec& spec, const NodeFacts& facts) {
  const CacheRootFacts& root = facts.cache_root;
  return judged({.id = "cache_dirs",
                 .expected = "writable, on a file system of this node alone",
                 .observed = root.writable ? "writable on " + root.file_system : root.problem,
                 .evidence = spec.cache_root,
                 .remedy = "set cache_root in the cluster profile to a node-local path such as "
                           "/tmp/{user}/{job}/{node}"},
                root.writable && !root.shared, spec.levels.at("cache_dirs"));
}

std::string limit_text(const ResourceLimit& limit) {
  const auto text = [](const std::optional<std::uint64_t>& value) {
    return value ? std::to_string(*value) : std::string("unlimited");
  };
  return fmt::format("soft {} hard {}", text(limit.soft), text(limit.hard));
}

CheckResult check_limits(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{.id = "limits",
                     .observed = "open files " + limit_text(facts.open_files) + ", memlock " +
                                 limit_text(facts.memlock),
                     .evidence = "getrlimit in this step",
                     .remedy =
                         "raise LimitNOFILE / LimitMEMLOCK of slurmd's unit, or "
                         "PropagateResourceLimits in slurm.conf"};
  const CheckLevel level = spec.levels.at("limits");
  if (!spec.limits.open_files && !spec.limits.memlock) {
    result.expected = "nothing: the profile demands no limits";
    result.remedy.clear();
    result.verdict = CheckVerdict::kNotApplicable;
    result.required = level == CheckLevel::kRequired;
    return result;
  }
  bool enough = true;
  if (spec.limits.open_files) {
    result.expected = fmt::format("open files >= {}", *spec.limits.open_files);
    // The hard limit counts: engines raise their own soft limit.
    enough = !facts.open_files.hard ||
             *facts.open_files.hard >= static_cast<std::uint64_t>(*spec.limits.open_files);
  }
  if (spec.limits.memlock) {
    result.expected +=
        fmt::format("{}memlock {}", result.expected.empty() ? "" : ", ", *spec.limits.memlock);
    const auto size = parse_size(*spec.limits.memlock);
    const bool reached = !facts.memlock.hard ||
                         (size.ok() && *facts.memlock.hard >= static_cast<std::uint64_t>(*size));
    enough = enough && reached;
  }
  return judged(result, enough, level);
}

CheckResult check_programs(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{
      .id = "engine_executable",
      .expected = fmt::format("{} can be run", fmt::join(spec.programs, ", ")),
      .remedy = "install it on this node, or correct `engines` and `setup` in the cluster profile"};
  std::vector<std::string> found;
  std::vector<std::string> missing;
  for (const auto& [name, path] : facts.programs) {
    (path.empty() ? missing : found).push_back(path.empty() ? name : path);
  }
  result.evidence = "found: " + join(found, " ");
  result.observed = missing.empty() ? "all present" : "not found on PATH: " + join(missing, " ");
  result.measured = facts.programs.size() == spec.programs.size();
  return judged(result, missing.empty(), spec.levels.at("engine_executable"));
}

CheckResult check_clock(const ProbeSpec& spec, const NodeFacts& facts) {
  CheckResult result{
      .id = "clock_offset",
      .expected = "within " + describe_duration(spec.clock_offset) + " of the batch host",
      .evidence = fmt::format("time server {}:{}", spec.time_server, spec.time_server_port),
      .remedy = "start chronyd or ntpd on this node"};
  const CheckLevel level = spec.levels.at("clock_offset");
  if (!facts.clock.ok()) {
    result.measured = false;
    result.observed = facts.clock.error().message;
    return judged(result, false, level);
  }
  const Nanos offset = facts.clock->offset;
  const Nanos size = offset < Nanos(0) ? -offset : offset;
  result.observed =
      fmt::format("{}{} (+- {})", offset < Nanos(0) ? "-" : "", describe_duration(size),
                  describe_duration(facts.clock->uncertainty));
  return judged(result, size - facts.clock->uncertainty <= spec.clock_offset, level);
}

std::map<std::string, std::string> compared_facts(const ProbeSpec& spec, const NodeFacts& facts) {
  std::map<std::string, std::string> out = facts.host;
  out["rank"] = std::to_string(rank_of(spec, facts));
  out["master_addr"] = facts.master_addresses.ok() && !facts.master_addresses->empty()
                           ? facts.master_addresses->front()
                           : "";
  out["topology_source"] = facts.topology.ok() ? facts.topology->source : "";
  out["cache_file_system"] = facts.cache_root.file_system;
  out["open_files"] = limit_text(facts.open_files);
  out["memlock"] = limit_text(facts.memlock);
  if (facts.clock.ok()) {
    out["clock_offset_us"] = std::to_string(facts.clock->offset.count() / 1000);
  }
  for (const auto& [name, path] : facts.programs) {
    out["program." + name] = path;
  }
  for (const auto& [name, value] : facts.environment) {
    out["env." + name] = printable(value, 200);
  }
  return out;
}

}  // namespace

NodeReport judge_node(const ProbeSpec& spec, const NodeFacts& facts) {
  NodeReport report{
      .node = spec.node, .address = spec.address, .facts = compared_facts(spec, facts)};
  report.checks = {
      check_gpu_set(spec, facts),     check_visibility(spec, facts), check_cpu_mask(spec, facts),
      check_master_addr(spec, facts), check_rank(spec, facts),       check_cache_dirs(spec, facts),
      check_limits(spec, facts),      check_programs(spec, facts),   check_clock(spec, facts)};
  for (CheckResult& check : report.checks) {
    check.node = spec.node;
  }
  if (facts.topology.ok()) {
    report.topology_json = topology_to_json(*facts.topology);
  }
  return report;
}

}  // namespace sglexp
