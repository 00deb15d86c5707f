// SPDX-License-Identifier: Apache-2.0
#include "harness/run/engine_processes.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "harness/health/readiness.h"
#include "harness/probe/catalogue.h"
#include "harness/probe/cross_node.h"
#include "harness/run/recorded_topology.h"
#include "harness/sys/files.h"

namespace sglexp {

ExecSpec EngineProcesses::spec(const std::string& name, const std::string& node) const {
  const RunFiles& run = context_.run;
  ExecSpec out{
      .name = name,
      .node = node,
      .run_token = run.token,
      .topology_file = topology_path(run.profile.node_types.at(run.scenario.allocation.node_type),
                                     context_.tools.paths),
      .cache_root = context_.cache_root(node),
      .status_file = fmt::format("{}/{}.status.json", dir_, name),
      .grace = run.scenario.deadlines.teardown / 2};
  for (const CheckDefinition& check : check_catalogue()) {
    out.levels[std::string(check.id)] = check_level(check.id, run.scenario);
  }
  return out;
}

Status EngineProcesses::start(const ExecSpec& spec, bool with_gpus) {
  SGLEXP_CHECK(write_file_atomic(spec_file(spec.name), exec_spec_to_json(spec), 0600));
  SGLEXP_TRY(std::unique_ptr<Child> step,
             start_step(context_, {.node = spec.node,
                                   .with_gpus = with_gpus,
                                   .held = true,
                                   .log = log(spec.name),
                                   .argv = {context_.tools.paths.program, "node-exec",
                                            "--until-eof", "--spec", spec_file(spec.name)}}));
  processes_.push_back({.name = spec.name, .node = spec.node, .step = std::move(step)});
  return Ok{};
}

std::optional<ExecStatus> EngineProcesses::status(const std::string& name) const {
  const auto text = read_file(fmt::format("{}/{}.status.json", dir_, name), 4 << 20);
  if (!text.ok()) {
    return std::nullopt;
  }
  auto parsed = parse_exec_status(*text);
  return parsed.ok() ? std::optional(*std::move(parsed)) : std::nullopt;
}

std::optional<std::string> EngineProcesses::ended(const std::string& name) const {
  const auto process = std::find_if(processes_.begin(), processes_.end(),
                                    [&](const Process& p) { return p.name == name; });
  if (process == processes_.end()) {
    return "it was never started";
  }
  const auto step = process->step->poll();
  if (!step) {
    return std::nullopt;
  }
  // node-exec knows how the engine itself ended; the step's own code is the fallback.
  const auto said = status(name);
  return said && said->state == ExecState::kEnded ? said->ended : step->describe();
}

std::optional<Failure> EngineProcesses::refused() const {
  for (const Process& process : processes_) {
    const auto said = status(process.name);
    if (!said || said->state != ExecState::kRefused) {
      continue;
    }
    if (auto failure = environment_failure(said->checks)) {
      failure->what = fmt::format("{} was not started: {}", process.name, failure->what);
      failure->phase = "launch";
      failure->files = log(process.name);
      return failure;
    }
  }
  return std::nullopt;
}

std::optional<Failure> EngineProcesses::dead(const std::string& phase) const {
  for (const Process& process : processes_) {
    const auto how = ended(process.name);
    if (!how) {
      continue;
    }
    Failure failure{.outcome = Outcome::kUnhealthy,
                    .what = fmt::format("{} died: {}", process.name, *how),
                    .node = process.node,
                    .phase = phase,
                    .cause = "nothing in its log explains it: it may have been killed from outside",
                    .evidence = *how,
                    .remedy = "look for an out-of-memory kill or an operator's signal on that node",
                    .files = log(process.name)};
    if (const auto cause = find_cause({log(process.name)})) {
      failure.cause = cause->cause;
      failure.evidence = cause->line;
      failure.remedy = cause->remedy;
    }
    return failure;
  }
  return std::nullopt;
}

std::optional<Failure> EngineProcesses::stop_all() {
  for (const Process& process : processes_) {
    process.step->close_stdin();
  }
  Clock& clock = context_.tools.clock;
  const TimePoint deadline = clock.now() + context_.run.scenario.deadlines.teardown;
  std::optional<Failure> failure;
  for (const Process& process : processes_) {
    while (!process.step->poll() && clock.now() < deadline) {
      clock.sleep_for(Millis(10));
    }
    if (!stop_child(*process.step, clock, Seconds(2), SIGTERM)) {
      failure = Failure{.outcome = Outcome::kInfrastructure,
                        .what = fmt::format("the step of {} could not be ended", process.name),
                        .node = process.node,
                        .phase = "teardown",
                        .cause = "srun did not end even after SIGKILL",
                        .files = log(process.name)};
    }
  }
  for (const Process& process : processes_) {
    // It holds the engine's whole environment, secrets included.
    unlink(spec_file(process.name).c_str());
  }
  processes_.clear();
  return failure;
}

}  // namespace sglexp
