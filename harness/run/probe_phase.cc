// SPDX-License-Identifier: Apache-2.0
#include "harness/run/probe_phase.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/probe/catalogue.h"
#include "harness/probe/clock_exchange.h"
#include "harness/probe/cross_node.h"
#include "harness/probe/probe_spec.h"
#include "harness/record/json.h"
#include "harness/run/recorded_topology.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

std::string spec_path(const JobContext& context, const std::string& node) {
  return fmt::format("{}/nodes/{}.probe.json", context.job_dir(), node);
}

std::string report_path(const JobContext& context, const std::string& node) {
  return fmt::format("{}/nodes/{}.json", context.job_dir(), node);
}

std::string log_path(const JobContext& context, const std::string& node) {
  return fmt::format("{}/nodes/{}.probe.log", context.job_dir(), node);
}

std::string last_line(const std::string& path) {
  const auto text = read_file(path, 16 << 20);
  if (!text.ok()) {
    return "";
  }
  const std::string_view body = trim(*text);
  return printable(
      body.substr(body.rfind('\n') == std::string_view::npos ? 0 : body.rfind('\n') + 1));
}

ProbeSpec common_spec(const JobContext& context, const TimeServer& time_server) {
  const RunFiles& run = context.run;
  ProbeSpec spec{
      .topology_file = topology_path(run.profile.node_types.at(run.scenario.allocation.node_type),
                                     context.tools.paths),
      .time_server = context.allocation.front().address,
      .time_server_port = time_server.port(),
      .loopback_addresses = run.profile.loopback_addresses,
      .limits = run.profile.limits,
      .clock_offset = run.profile.clock_offset};
  for (const NodeAllocation& node : context.allocation) {
    spec.job_nodes.push_back(node.node);
  }
  for (const CheckDefinition& check : check_catalogue()) {
    spec.levels[std::string(check.id)] = check_level(check.id, run.scenario);
  }
  std::vector<std::string> kinds = {run.scenario.engine.kind};
  if (run.scenario.router.enabled) {
    kinds.push_back(run.scenario.router.kind);
  }
  for (const std::string& kind : kinds) {
    const auto installed = installed_engine(kind, run.profile, context.tools.paths);
    if (installed.ok() && !installed->argv.empty() &&
        std::find(spec.programs.begin(), spec.programs.end(), installed->argv.front()) ==
            spec.programs.end()) {
      spec.programs.push_back(installed->argv.front());
    }
  }
  return spec;
}

Status write_specs(const JobContext& context, ProbeSpec spec) {
  for (const NodeAllocation& node : context.allocation) {
    spec.node = node.node;
    spec.address = node.address;
    spec.allocated_gpus = node.gpus;
    spec.allocated_cpus = node.cpus;
    spec.cache_root = context.cache_root(node.node);
    SGLEXP_CHECK(write_file_atomic(spec_path(context, node.node), probe_spec_to_json(spec)));
  }
  return Ok{};
}

Failure silent_node(const JobContext& context, const std::string& node,
                    const std::optional<ExitStatus>& ended) {
  const std::string log = log_path(context, node);
  return {.outcome = Outcome::kInfrastructure,
          .what = fmt::format("the probe of {} did not report", node),
          .node = node,
          .phase = "probe",
          .cause = ended ? "its step ended with " + ended->describe()
                         : "its step was still running after " +
                               describe_duration(context.run.scenario.deadlines.probe),
          .evidence = last_line(log),
          .remedy = "check that this node mounts the run directory and can run " +
                    context.tools.paths.program,
          .files = log};
}

struct Reports {
  std::vector<NodeReport> reports;
  std::optional<Failure> failure;  // a node without a report
};

Result<Reports> collect_reports(JobContext& context) {
  SGLEXP_TRY(const std::unique_ptr<TimeServer> time_server,
             TimeServer::start(context.allocation.front().address));
  SGLEXP_CHECK(write_specs(context, common_spec(context, *time_server)));
  std::vector<std::unique_ptr<Child>> steps;
  for (const NodeAllocation& allocation : context.allocation) {
    const std::string& node = allocation.node;
    SGLEXP_TRY(std::unique_ptr<Child> step,
               start_step(context, {.node = node,
                                    .with_gpus = true,
                                    .log = log_path(context, node),
                                    .argv = {context.tools.paths.program, "probe", "--spec",
                                             spec_path(context, node), "--out",
                                             report_path(context, node)}}));
    steps.push_back(std::move(step));
  }
  const std::vector<std::optional<ExitStatus>> ended =
      await_steps(context, steps, context.run.scenario.deadlines.probe);
  Reports out;
  for (std::size_t i = 0; i < context.allocation.size(); ++i) {
    const std::string& node = context.allocation[i].node;
    const auto text = read_file(report_path(context, node), 64 << 20);
    auto report = text.ok() ? parse_node_report(*text) : Result<NodeReport>(text.error());
    if (!report.ok()) {
      out.failure = out.failure ? out.failure : silent_node(context, node, ended[i]);
      continue;
    }
    SGLEXP_CHECK(context.journal.append(
        "node_report",
        json({{"node", node}, {"file", context.run.dir.relative(report_path(context, node))}})
            .dump()));
    out.reports.push_back(std::move(*report));
  }
  return out;
}

// The nodes as placement needs them: discovered topology, verified allocation.
Result<std::vector<PlacementNode>> placement_nodes(const JobContext& context,
                                                   const std::vector<NodeReport>& reports) {
  std::vector<PlacementNode> nodes;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    SGLEXP_TRY(Topology topology,
               parse_topology_json(reports[i].topology_json, "report of " + reports[i].node));
    const NodeAllocation& allocation = context.allocation[i];
    nodes.push_back({.name = allocation.node,
                     .address = allocation.address,
                     .topology = std::move(topology),
                     .gpus = allocation.gpus,
                     .cpus = allocation.cpus});
  }
  return nodes;
}

Result<std::optional<Failure>> probe_and_judge(JobContext& context) {
  SGLEXP_CHECK(context.enter_phase("probe", -1));
  SGLEXP_CHECK(make_directories(context.job_dir() + "/nodes"));
  SGLEXP_TRY(Reports collected, collect_reports(context));
  std::vector<std::string> names;
  std::vector<CheckResult> checks;
  for (const NodeAllocation& node : context.allocation) {
    names.push_back(node.node);
  }
  for (const NodeReport& report : collected.reports) {
    checks.insert(checks.end(), report.checks.begin(), report.checks.end());
  }
  const std::vector<CheckResult> across =
      judge_across_nodes(context.run.scenario, names, collected.reports);
  checks.insert(checks.end(), across.begin(), across.end());
  const std::string file = context.job_dir() + "/checks.json";
  SGLEXP_CHECK(write_file_atomic(file, checks_to_json(checks)));
  SGLEXP_CHECK(
      context.journal.append("checks", json({{"file", context.run.dir.relative(file)}}).dump()));
  if (collected.failure) {
    return collected.failure;
  }
  if (std::optional<Failure> failure = environment_failure(checks)) {
    failure->files = file;
    return failure;
  }
  SGLEXP_TRY(context.nodes, placement_nodes(context, collected.reports));
  return std::optional<Failure>();
}

}  // namespace

std::optional<Failure> probe_phase(JobContext& context) {
  const auto result = probe_and_judge(context);
  return result.ok() ? *result : failure_from(result.error(), Outcome::kInfrastructure, "probe");
}

}  // namespace sglexp
