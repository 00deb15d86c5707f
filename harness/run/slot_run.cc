// SPDX-License-Identifier: Apache-2.0
#include "harness/run/slot_run.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/launch/launch.h"
#include "harness/load/probe_request.h"
#include "harness/probe/catalogue.h"
#include "harness/record/json.h"
#include "harness/run/redact.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

constexpr Nanos kProbeTimeout = Seconds(60);  // a first request may compile kernels

std::string url_of(const std::string& address, int port) {
  return address.find(':') == std::string::npos ? fmt::format("http://{}:{}", address, port)
                                                : fmt::format("http://[{}]:{}", address, port);
}

LoadApi api_of(const std::string& word) {
  return word == "completions" ? LoadApi::kCompletions
         : word == "chat"      ? LoadApi::kChat
                               : LoadApi::kGenerate;
}

std::string model_name(const EngineSpec& engine) {
  return engine.served_model_name.empty() ? engine.model : engine.served_model_name;
}

}  // namespace

SlotRun::SlotRun(JobContext& context, const SlotPlan& slot)
    : context_(context),
      slot_(slot),
      scenario_(context.run.scenario),
      arm_(scenario_.arms[static_cast<std::size_t>(slot.arm)]),
      dir_(context.run.dir.slot_dir(slot, scenario_)),
      processes_(context, dir_) {}

std::optional<Failure> SlotRun::run() {
  std::optional<Failure> failure = launch_and_measure();
  if (const Status told = context_.enter_phase("teardown", slot_.index); !told.ok() && !failure) {
    failure = failure_from(told.error(), Outcome::kInfrastructure, "teardown");
  }
  if (const auto stuck = processes_.stop_all(); stuck && !failure) {
    failure = stuck;
  }
  if (!failure) {
    return std::nullopt;
  }
  failure = with_slot(context_.stopping() ? job_cancelled() : *failure);
  if (const Status recorded = record_unmeasured(*failure); !recorded.ok()) {
    return failure_from(recorded.error(), Outcome::kInternal, "collect");
  }
  return failure;
}

std::optional<Failure> SlotRun::launch_and_measure() {
  const Status started = context_.journal.append(
      "slot_started",
      json({{"slot", slot_.index}, {"arm", arm_.name}, {"block", slot_.block}}).dump());
  if (!started.ok()) {
    return failure_from(started.error(), Outcome::kInfrastructure, "place");
  }
  if (auto failure = place_processes()) {
    return failure;
  }
  if (const Status launched = launch(); !launched.ok()) {
    return failure_from(launched.error(), Outcome::kInfrastructure, "launch");
  }
  if (auto failure = wait_until_ready()) {
    return failure;
  }
  for (const TrialPlan& trial : slot_.trials) {
    if (context_.stopping()) {
      return job_cancelled();
    }
    if (auto failure = measure(trial)) {
      return failure;
    }
  }
  return std::nullopt;
}

std::optional<Failure> SlotRun::place_processes() {
  if (const Status made = make_directories(dir_); !made.ok()) {
    return failure_from(made.error(), Outcome::kInfrastructure, "place");
  }
  const PlacementRequest request{.scenario = scenario_,
                                 .arm = arm_,
                                 .nodes = context_.nodes,
                                 .port_base = context_.run.profile.port_base,
                                 .port_count = context_.run.profile.port_count,
                                 .port_salt = fnv1a(fmt::format("{}/{}/{}", context_.run.token,
                                                                context_.job_id, slot_.index))};
  auto placed = place(request);
  if (!placed.ok()) {
    return Failure{.outcome = Outcome::kEnvironment,
                   .what = "the allocation cannot hold the placement of arm " + arm_.name,
                   .phase = "place",
                   .cause = placed.error().message,
                   .remedy = "change the arm's placement, or what the scenario asks of Slurm"};
  }
  placement_ = *std::move(placed);
  for (const WorkerSpec& worker : placement_.workers) {
    context_.planned_ports[worker.node].insert(worker.port);
  }
  for (const ServiceSpec& service : placement_.services) {
    for (const int port : {service.port, service.metrics_port}) {
      if (port > 0) {
        context_.planned_ports[service.node].insert(port);
      }
    }
  }
  const std::string mismatch = placement_mismatch(placement_, arm_);
  const CheckResult check = judged({.id = "placement_arm",
                                    .expected = arm_.name,
                                    .observed = mismatch.empty() ? "as the arm says" : mismatch},
                                   mismatch.empty(), check_level("placement_arm", scenario_));
  checks_.push_back(check);
  if (check.verdict == CheckVerdict::kFail) {
    return Failure{.outcome = Outcome::kEnvironment,
                   .what = "the placement is not what the arm says",
                   .phase = "place",
                   .cause = mismatch,
                   .remedy =
                       "another job may hold the GPUs that the request needs; use placement.by: "
                       "select on whole nodes"};
  }
  return std::nullopt;
}

Status SlotRun::launch() {
  SGLEXP_CHECK(context_.enter_phase("launch", slot_.index));
  const ClusterProfile& profile = context_.run.profile;
  for (const WorkerSpec& worker : placement_.workers) {
    SGLEXP_TRY(
        ProcessCommand command,
        worker_command(scenario_, arm_, profile, context_.tools.paths, worker, slot_.launch_seed));
    ExecSpec spec = processes_.spec(worker.name, worker.node);
    for (const Gpu& gpu : worker.gpus) {
      spec.gpus.push_back(gpu.pci);
    }
    spec.cpus = worker.cpus;
    spec.mem_nodes = worker.mem_nodes;
    spec.bind = worker.bind;
    spec.address = worker.address;
    spec.ports = {worker.port};
    spec.argv = std::move(command.argv);
    spec.env = std::move(command.env);
    SGLEXP_CHECK(processes_.start(spec, true));
  }
  if (const ServiceSpec* router = placement_.service("router")) {
    SGLEXP_TRY(ProcessCommand command,
               router_command(scenario_, profile, context_.tools.paths, placement_));
    ExecSpec spec = processes_.spec("router", router->node);
    spec.cpus = router->cpus;
    spec.bind = router->bind;
    spec.address = router->address;
    spec.ports = {router->port, router->metrics_port};
    spec.argv = std::move(command.argv);
    spec.env = std::move(command.env);
    SGLEXP_CHECK(processes_.start(spec, false));
  }
  return Ok{};
}

std::string SlotRun::front_url() const {
  const ServiceSpec* router = placement_.service("router");
  return router != nullptr
             ? url_of(router->address, router->port)
             : url_of(placement_.workers.front().address, placement_.workers.front().port);
}

ReadinessTarget SlotRun::readiness_target() const {
  ReadinessTarget target{.deadline = scenario_.deadlines.ready,
                         .no_progress = scenario_.deadlines.no_progress};
  for (const WorkerSpec& worker : placement_.workers) {
    target.workers.push_back({.name = worker.name,
                              .node = worker.node,
                              .url = url_of(worker.address, worker.port),
                              .launch_seed = slot_.launch_seed,
                              .log_path = fmt::format("{}/{}.log", dir_, worker.name),
                              .model = model_name(arm_.engine)});
  }
  if (const ServiceSpec* router = placement_.service("router")) {
    target.router = WorkerEndpoint{.name = "router",
                                   .node = router->node,
                                   .url = front_url(),
                                   .log_path = dir_ + "/router.log",
                                   .model = model_name(arm_.engine)};
  }
  return target;
}

std::optional<Failure> SlotRun::wait_until_ready() {
  if (const Status told = context_.enter_phase("ready", slot_.index); !told.ok()) {
    return failure_from(told.error(), Outcome::kInfrastructure, "ready");
  }
  const Readiness readiness = wait_ready(
      readiness_target(), context_.tools.http, context_.tools.clock,
      [&](const std::string& name) { return processes_.ended(name); },
      [&](const std::string& url, const std::string& model) {
        return probe_request(url, api_of(scenario_.load.api), model, kProbeTimeout);
      },
      [&] { return context_.stopping(); });
  if (!readiness.ready) {
    if (context_.stopping()) {
      return job_cancelled();
    }
    if (const Status told = tell_slot_checks(); !told.ok()) {
      return failure_from(told.error(), Outcome::kInternal, "ready");
    }
    if (auto refusal = processes_.refused()) {
      return refusal;
    }
    return readiness.failure.value_or(
        Failure{.outcome = Outcome::kUnhealthy, .what = "never became ready", .phase = "ready"});
  }
  if (const Status told = tell_slot_checks(); !told.ok()) {
    return failure_from(told.error(), Outcome::kInternal, "ready");
  }
  json stages = json::array();
  for (const StageTiming& stage : readiness.stages) {
    stages.push_back(
        {{"stage", stage.stage}, {"seconds", static_cast<double>(stage.at.count()) / 1e9}});
  }
  const double total =
      readiness.stages.empty() ? 0 : static_cast<double>(readiness.stages.back().at.count()) / 1e9;
  const Status told = context_.journal.append(
      "slot_ready", json({{"slot", slot_.index}, {"seconds", total}, {"stages", stages}}).dump());
  return told.ok() ? std::nullopt
                   : std::optional(failure_from(told.error(), Outcome::kInfrastructure, "ready"));
}

// Adds what placement and node-exec have judged in this slot to the job's checks.
Status SlotRun::tell_slot_checks() {
  std::vector<std::string> names;
  for (const WorkerSpec& worker : placement_.workers) {
    names.push_back(worker.name);
  }
  names.emplace_back("router");
  for (const std::string& name : names) {
    if (const auto status = processes_.status(name)) {
      checks_.insert(checks_.end(), status->checks.begin(), status->checks.end());
    }
  }
  const std::string file = context_.job_dir() + "/checks.json";
  SGLEXP_TRY(const std::string text, read_file(file, 256 << 20));
  SGLEXP_TRY(std::vector<CheckResult> all, parse_checks(text));
  for (CheckResult& check : checks_) {
    check.evidence = fmt::format("slot {}: {}", slot_.index, check.evidence);
    all.push_back(check);
  }
  checks_.clear();
  SGLEXP_CHECK(write_file_atomic(file, checks_to_json(all)));
  return context_.journal.append("checks",
                                 json({{"file", context_.run.dir.relative(file)}}).dump());
}

const LoadPoint& SlotRun::load_point(const TrialPlan& trial) const {
  return scenario_.load.points[static_cast<std::size_t>(trial.load_point)];
}

LoadJob SlotRun::load_job(const TrialPlan& trial) const {
  const LoadPoint& point = load_point(trial);
  return {.url = front_url(),
          .api = api_of(scenario_.load.api),
          .model = model_name(arm_.engine),
          .concurrency = point.concurrency,
          .requests = point.requests,
          .warmup_requests = scenario_.load.warmup_requests,
          .input_tokens = scenario_.load.dataset.input_tokens,
          .output_tokens = scenario_.load.dataset.output_tokens,
          .prompt_seed = trial.prompt_seed,
          .first_token_timeout = scenario_.deadlines.first_token,
          .gap_timeout = scenario_.deadlines.token_gap,
          .request_timeout = scenario_.deadlines.request};
}

Failure SlotRun::with_slot(Failure failure) const {
  failure.what = fmt::format("{} (slot {}, arm {}, block {})", failure.what, slot_.index, arm_.name,
                             slot_.block);
  if (failure.files.empty()) {
    failure.files = dir_;
  }
  return failure;
}

std::vector<PlacementRow> SlotRun::placement_rows() const {
  std::vector<PlacementRow> rows;
  for (const WorkerSpec& worker : placement_.workers) {
    const auto status = processes_.status(worker.name);
    int rank = 0;
    for (const Gpu& gpu : worker.gpus) {
      rows.push_back({.role = "worker",
                      .name = worker.name,
                      .rank = rank++,
                      .node = worker.node,
                      .gpu_index = gpu.index,
                      .gpu_pci = gpu.pci,
                      .gpu_numa = gpu.numa,
                      .cpus = format_ranges(worker.cpus),
                      .mem_nodes = format_ranges(worker.mem_nodes),
                      .port = worker.port,
                      .observed_cpus = status ? status->observed_cpus : "",
                      .observed_gpus = status ? join(status->observed_gpus, " ") : "",
                      .simulated_binding = !worker.bind});
    }
  }
  for (const ServiceSpec& service : placement_.services) {
    const auto status = processes_.status(service.name);
    rows.push_back({.role = service.name == "load" ? "load" : "router",
                    .name = service.name,
                    .node = service.node,
                    .cpus = format_ranges(service.cpus),
                    .port = service.port,
                    .observed_cpus = service.name == "load" ? load_observed_cpus_
                                     : status               ? status->observed_cpus
                                                            : "",
                    .simulated_binding = !service.bind});
  }
  return rows;
}

std::string SlotRun::server_info() const {
  const WorkerSpec& worker = placement_.workers.front();
  const std::string url = url_of(worker.address, worker.port);
  for (const char* path : {"/server_info", "/get_server_info"}) {
    const auto answer = context_.tools.http.get(url + path, Seconds(5));
    if (answer.ok() && answer->status == 200) {
      return redact_json(answer->body);
    }
  }
  return "";
}

Status SlotRun::record_trial(const TrialPlan& trial, TrialRecord record) {
  record.key = {.arm = arm_.name,
                .block = slot_.block,
                .slot = slot_.index,
                .load_point = load_point(trial).name,
                .attempt = 0};
  record.job_id = context_.job_id;
  record.placement = placement_rows();
  if (record.started_utc.empty()) {
    record.started_utc = utc_text(context_.tools.clock.wall_now());
  }
  const std::string file = context_.run.dir.trial_file(record.key);
  SGLEXP_CHECK(write_file_atomic(file, trial_to_json(record)));
  recorded_.push_back(&trial);
  return context_.journal.append(
      "trial_finished",
      json({{"key", record.key.text()}, {"file", context_.run.dir.relative(file)}}).dump());
}

Status SlotRun::record_unmeasured(const Failure& failure) {
  const bool infrastructure = exit_code(failure.outcome) == ExitCode::kInfrastructure;
  for (const TrialPlan& trial : slot_.trials) {
    if (std::find(recorded_.begin(), recorded_.end(), &trial) == recorded_.end()) {
      SGLEXP_CHECK(record_trial(
          trial, {.status = infrastructure ? TrialStatus::kInfraFailed : TrialStatus::kTestFailed,
                  .outcome = failure.outcome,
                  .failure = failure}));
    }
  }
  return context_.journal.append(
      "slot_failed",
      json({{"slot", slot_.index}, {"failure", json::parse(failure_to_json(failure))}}).dump());
}

}  // namespace sglexp
