// SPDX-License-Identifier: Apache-2.0
#include "harness/run/preview.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/launch/launch.h"
#include "harness/probe/catalogue.h"
#include "harness/run/recorded_topology.h"

namespace sglexp {

namespace {

std::string heading(const std::string& title) {
  return fmt::format("\n== {} ==\n", title);
}

std::string words_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : " ") + shell_quote(word);
  }
  return out;
}

// Values of flags that hold secrets are not for a terminal.
std::vector<std::string> without_secrets(std::vector<std::string> words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i].starts_with("--") && is_secret_name(words[i])) {
      words[i + 1] = "***";
    }
  }
  return words;
}

// One word group a line, so that long commands read well at 80 columns.
std::string command_block(const std::string& program, const std::vector<std::string>& words) {
  std::string out = program;
  std::size_t column = program.size();
  for (const std::string& word : without_secrets(words)) {
    const std::string quoted = shell_quote(word);
    if (column + quoted.size() + 3 > 78) {
      out += " \\\n   ";
      column = 3;
    }
    out += " " + quoted;
    column += quoted.size() + 1;
  }
  return out + "\n";
}

std::string summary(const RunFiles& run) {
  const Plan& plan = run.plan;
  const AllocationSpec& allocation = run.scenario.allocation;
  return fmt::format(
      "scenario  {} ({})\ncluster   {} ({}){}\nasks for  {} nodes of type {}, {} GPUs each{}, time "
      "limit {}\n"
      "runs      {} arms, {} blocks, {} slots (engine launches), {} trials, {} job(s)\n"
      "takes     about {}, at most {} of deadlines, about {:.1f} GPU-hours\nplan      {}\n",
      run.scenario.name, run.scenario.file, run.profile.name, run.profile.file,
      plan.simulated ? "\nSIMULATED " + plan.simulated_why : "", allocation.nodes,
      allocation.node_type, allocation.gpus_per_node, allocation.exclusive ? ", exclusive" : "",
      describe_duration(allocation.time_limit), run.scenario.arms.size(),
      run.scenario.repeats.blocks, plan.slots.size(), plan.trials, plan.jobs.size(),
      describe_duration(plan.estimated), describe_duration(plan.worst_case), plan.gpu_hours,
      plan.digest.substr(0, 16));
}

std::string slot_order(const RunFiles& run) {
  std::string out = heading("order of slots (block: arms; load points)");
  int block = -1;
  for (const SlotPlan& slot : run.plan.slots) {
    if (slot.block != block) {
      block = slot.block;
      out += fmt::format("{}block {:>2}:", block == 0 ? "" : "\n", block + 1);
    }
    std::vector<std::string> points;
    for (const TrialPlan& trial : slot.trials) {
      points.push_back(run.scenario.load.points[static_cast<std::size_t>(trial.load_point)].name);
    }
    out += fmt::format("  {} [{}]", run.scenario.arms[static_cast<std::size_t>(slot.arm)].name,
                       join(points, " "));
  }
  return out + "\n";
}

// Idle nodes as the profile records them: the best that can be said before a job exists.
Result<std::vector<PlacementNode>> idle_nodes(const RunFiles& run, const InstallPaths& paths) {
  const NodeTypeSpec& type = run.profile.node_types.at(run.scenario.allocation.node_type);
  SGLEXP_TRY(const Topology topology, load_topology(topology_path(type, paths)));
  std::vector<PlacementNode> nodes;
  for (int i = 0; i < run.scenario.allocation.nodes; ++i) {
    PlacementNode node{.name = fmt::format("node{}", i + 1),
                       .address = fmt::format("<node{}>", i + 1),
                       .topology = topology};
    for (const Gpu& gpu : topology.gpus) {
      node.gpus.push_back(gpu.index);
    }
    for (const NumaNode& numa : topology.numa_nodes) {
      node.cpus.insert(node.cpus.end(), numa.cpus.begin(), numa.cpus.end());
    }
    node.gpus.resize(std::min(node.gpus.size(),
                              static_cast<std::size_t>(run.scenario.allocation.gpus_per_node)));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string placement_table(const Placement& placement) {
  std::string out = fmt::format("  {:<8} {:<8} {:<16} {:<6} {:<16} {}\n", "process", "node", "GPUs",
                                "NUMA", "CPUs", "ports");
  for (const WorkerSpec& worker : placement.workers) {
    std::vector<int> gpus;
    std::vector<int> numa;
    for (const Gpu& gpu : worker.gpus) {
      gpus.push_back(gpu.index);
      numa.push_back(gpu.numa);
    }
    std::sort(numa.begin(), numa.end());
    numa.erase(std::unique(numa.begin(), numa.end()), numa.end());
    out += fmt::format("  {:<8} {:<8} {:<16} {:<6} {:<16} {}\n", worker.name, worker.node,
                       fmt::format("{}", fmt::join(gpus, ",")),
                       fmt::format("{}", fmt::join(numa, ",")), format_ranges(worker.cpus),
                       worker.port);
  }
  for (const ServiceSpec& service : placement.services) {
    out += fmt::format("  {:<8} {:<8} {:<16} {:<6} {:<16} {}\n", service.name, service.node, "-",
                       "-", format_ranges(service.cpus),
                       service.port == 0
                           ? "-"
                           : fmt::format("{} (metrics {})", service.port, service.metrics_port));
  }
  return out;
}

// srun lines of one slot of an arm, as the agent would start them.
Result<std::string> step_lines(const RunFiles& run, const ArmSpec& arm, const Placement& placement,
                               const InstallPaths& paths) {
  const NodeTypeSpec& type = run.profile.node_types.at(run.scenario.allocation.node_type);
  std::string out;
  const WorkerSpec& worker = placement.workers.front();
  SGLEXP_TRY(const ProcessCommand engine,
             worker_command(run.scenario, arm, run.profile, paths, worker, 1));
  const StepSpec step{
      .node = worker.node,
      .gres = fmt::format("{}:{}", type.gres, run.scenario.allocation.gpus_per_node),
      .cpus = type.cpus,
      .forward_input = true,
      .job_name = "sglexp-<token>",
      .output = "<slot>/w0.log",
      .argv = {paths.program, "node-exec", "--until-eof", "--spec", "<slot>/w0.exec.json"}};
  const std::vector<std::string> srun = srun_argv(step);
  out += command_block(srun.front(), {srun.begin() + 1, srun.end()});
  out += "node-exec then starts, bound and with one visibility layer:\n";
  out += command_block(engine.argv.front(), {engine.argv.begin() + 1, engine.argv.end()});
  if (placement.service("router") != nullptr) {
    SGLEXP_TRY(const ProcessCommand router,
               router_command(run.scenario, run.profile, paths, placement));
    out += "router, in a step without GPUs:\n" +
           command_block(router.argv.front(), {router.argv.begin() + 1, router.argv.end()});
  }
  return out;
}

Result<std::string> arm_sections(const RunFiles& run, const InstallPaths& paths) {
  const NodeTypeSpec& type = run.profile.node_types.at(run.scenario.allocation.node_type);
  std::string out = heading("placement");
  if (type.topology == "discover") {
    return out +
           "decided on the nodes: this profile discovers their topology. What each arm asks "
           "for:\n" +
           [&] {
             std::string arms;
             for (const ArmSpec& arm : run.scenario.arms) {
               arms += fmt::format("  {}: {}, {} worker(s) a node of {} GPUs\n", arm.name,
                                   placement_policy_name(arm.placement.policy),
                                   arm.engine.workers_per_node, arm.engine.tp);
             }
             return arms;
           }();
  }
  SGLEXP_TRY(std::vector<PlacementNode> nodes, idle_nodes(run, paths));
  std::string steps = heading("steps");
  for (const ArmSpec& arm : run.scenario.arms) {
    if (arm.placement.by == PlacementBy::kRequest) {
      out += fmt::format("arm {}: Slurm chooses, asked with: {}\n", arm.name,
                         words_line(arm.placement.request_args));
      continue;
    }
    SGLEXP_TRY(const Placement placement, place({.scenario = run.scenario,
                                                 .arm = arm,
                                                 .nodes = nodes,
                                                 .port_base = run.profile.port_base,
                                                 .port_count = run.profile.port_count}));
    out += fmt::format("arm {}{}, on idle nodes (ports move with the job):\n", arm.name,
                       arm.base ? " (base)" : "");
    out += placement_table(placement);
    if (&arm == &run.scenario.arms.front()) {
      SGLEXP_TRY(const std::string lines, step_lines(run, arm, placement, paths));
      steps += fmt::format("first worker of arm {}:\n{}", arm.name, lines);
    }
  }
  return out + steps;
}

std::string batch_section(const RunFiles& run, const InstallPaths& paths) {
  const JobPlan& job = run.plan.jobs.front();
  const ArmSpec* arm = nullptr;
  if (!job.slots.empty()) {
    const SlotPlan& slot = run.plan.slots[static_cast<std::size_t>(job.slots.front())];
    arm = &run.scenario.arms[static_cast<std::size_t>(slot.arm)];
  }
  const BatchJob batch{
      .run_dir = "<run>",
      .job_name = job.name,
      .run_token = "<token>",
      .request_arm = arm != nullptr && arm->placement.by == PlacementBy::kRequest ? arm : nullptr,
      .pin_nodes = {}};
  const JobSpec spec = job_spec(run.scenario, run.profile, batch);
  std::string out = heading(fmt::format(
      "batch job{}",
      run.plan.jobs.size() > 1 ? fmt::format(" (first of {})", run.plan.jobs.size()) : ""));
  std::vector<std::string> words = {"--job-name=" + spec.name, "--comment=" + spec.comment};
  words.insert(words.end(), spec.args.begin(), spec.args.end());
  words.push_back(spec.script_path);
  out +=
      command_block("sbatch", words) + "\n" + batch_script(run.scenario, run.profile, paths, batch);
  return out;
}

std::string deadline_section(const Deadlines& d) {
  std::string out = heading("deadlines");
  const std::pair<const char*, Nanos> rows[] = {
      {"queue", d.queue},
      {"probe", d.probe},
      {"ready", d.ready},
      {"no_progress", d.no_progress},
      {"warmup", d.warmup},
      {"load", d.load},
      {"first_token", d.first_token},
      {"token_gap", d.token_gap},
      {"request", d.request},
      {"teardown", d.teardown},
  };
  for (const auto& [name, value] : rows) {
    out += fmt::format("  {:<12} {}\n", name, value == Nanos(0) ? "none" : format_duration(value));
  }
  return out;
}

std::string check_section(const Scenario& scenario) {
  std::string out = heading("checks and gates");
  for (const CheckDefinition& check : check_catalogue()) {
    const CheckLevel level = check_level(check.id, scenario);
    out += fmt::format("  {:<20} {}\n", check.id,
                       level == CheckLevel::kRequired   ? "required"
                       : level == CheckLevel::kOptional ? "optional"
                                                        : "off");
  }
  for (const GateSpec& gate : scenario.gates) {
    out += fmt::format("  gate {} at {}: margin {:.1f}%, {}\n", gate.metric,
                       gate.load_points.empty() ? "all load points" : join(gate.load_points, " "),
                       gate.margin * 100,
                       gate.fails_run ? "fails the run" : "a finding, does not fail the run");
  }
  return out;
}

}  // namespace

Result<std::string> render_preview(const RunFiles& run, const InstallPaths& paths) {
  SGLEXP_TRY(const std::string arms, arm_sections(run, paths));
  return summary(run) + slot_order(run) + arms + batch_section(run, paths) +
         deadline_section(run.scenario.deadlines) + check_section(run.scenario);
}

}  // namespace sglexp
