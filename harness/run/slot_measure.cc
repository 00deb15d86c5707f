// SPDX-License-Identifier: Apache-2.0
// SlotRun's measuring part: one load point, from the load client's start to the trial's record.
#include <signal.h>

#include <fmt/format.h>

#include "harness/run/load_exec.h"
#include "harness/run/slot_run.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

// What a finished load says about the trial. No failure: every request counts.
std::optional<Failure> judge_load(const LoadExecResult& result, Nanos deadline,
                                  const std::string& front, const std::string& log) {
  if (result.failed > 0) {
    return Failure{.outcome = Outcome::kLoadFailed,
                   .what = fmt::format("{} requests failed", result.failed),
                   .node = front,
                   .phase = "load",
                   .cause = result.first_failure,
                   .remedy =
                       "look at the engines' logs at that moment; lower the concurrency if they "
                       "say that they were full",
                   .files = log};
  }
  if (result.measured_s > static_cast<double>(deadline.count()) / 1e9) {
    return Failure{.outcome = Outcome::kLoadFailed,
                   .what = "the load point took longer than its deadline",
                   .node = front,
                   .phase = "load",
                   .cause = fmt::format("measured for {:.1f} s, deadlines.load is {}",
                                        result.measured_s, describe_duration(deadline)),
                   .remedy = "raise deadlines.load, or lower the load point's requests",
                   .files = log};
  }
  if (!result.invalid_reason.empty()) {
    return Failure{.outcome = Outcome::kInvalid,
                   .what = "the load client could not keep up",
                   .phase = "load",
                   .cause = result.invalid_reason,
                   .remedy =
                       "give the load client more CPUs (placement.service_cpus), or a node of its "
                       "own (load.node)",
                   .files = log};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> SlotRun::measure(const TrialPlan& trial) {
  const LoadPoint& point = load_point(trial);
  const ServiceSpec& client = *placement_.service("load");
  const TrialKey key{
      .arm = arm_.name, .block = slot_.block, .slot = slot_.index, .load_point = point.name};
  const std::string base = fmt::format("{}/load-{}", dir_, point.name);
  const LoadExecSpec spec{.job = load_job(trial),
                          .cpus = client.cpus,
                          .bind = client.bind,
                          .requests_file = context_.run.dir.requests_file(key),
                          .result_file = base + ".result.json"};
  const std::string started_utc = utc_text(context_.tools.clock.wall_now());
  const auto start = [&]() -> Result<std::unique_ptr<Child>> {
    SGLEXP_CHECK(context_.enter_phase("load", slot_.index));
    SGLEXP_CHECK(write_file_atomic(base + ".spec.json", load_exec_spec_to_json(spec)));
    return start_step(context_, {.node = client.node,
                                 .held = true,
                                 .log = base + ".log",
                                 .argv = {context_.tools.paths.program, "load-exec", "--until-eof",
                                          "--spec", base + ".spec.json"}});
  };
  auto step = start();
  if (!step.ok()) {
    return failure_from(step.error(), Outcome::kInfrastructure, "load");
  }
  const Nanos budget = scenario_.deadlines.warmup + scenario_.deadlines.load;
  const std::optional<Failure> interrupted = follow_load(**step, budget);

  const auto result = read_load_exec_result(spec.result_file);
  std::optional<Failure> failure = interrupted;
  if (!failure && !result.ok()) {
    const auto how = (*step)->poll();
    failure = Failure{.outcome = Outcome::kInvalid,
                      .what = "the load client left no result",
                      .node = client.node,
                      .phase = "load",
                      .cause = how ? how->describe() : "still running",
                      .remedy =
                          "someone or something ended it: look for an out-of-memory kill or an "
                          "operator's signal on that node",
                      .files = base + ".log"};
  }
  if (!failure && result->failed > 0) {
    // Requests fail a moment before the step of a dead engine or router ends: that is the cause.
    failure = await_dead_process(Seconds(2));
  }
  if (!failure) {
    const ServiceSpec* router = placement_.service("router");
    failure = judge_load(*result, scenario_.deadlines.load,
                         router != nullptr ? router->node : placement_.workers.front().node,
                         base + ".log");
  }
  TrialRecord record{.started_utc = started_utc,
                     .status = failure ? TrialStatus::kTestFailed : TrialStatus::kOk,
                     .outcome = failure ? failure->outcome : Outcome::kPassed};
  record.failure = failure;
  if (!failure) {
    record.server_info_json = server_info();
  }
  if (result.ok()) {
    record.warmup_s = result->warmup_s;
    record.measured_s = result->measured_s;
    record.metrics = result->metrics;
    record.histograms = result->histograms;
    record.output_digest = result->output_digest;
    record.requests_file = context_.run.dir.relative(spec.requests_file);
    load_observed_cpus_ = result->observed_cpus;
  }
  const Status recorded = record_trial(trial, std::move(record));
  return recorded.ok() ? failure : failure_from(recorded.error(), Outcome::kInternal, "collect");
}

// Waits for the load client; ends it when the job must stop, an engine process dies, or time is up.
std::optional<Failure> SlotRun::follow_load(Child& step, Nanos budget) {
  Clock& clock = context_.tools.clock;
  const TimePoint deadline = clock.now() + budget;
  std::optional<Failure> failure;
  while (!step.poll()) {
    if (context_.stopping()) {
      failure = job_cancelled();
    } else if (auto dead = processes_.dead("load")) {
      failure = dead;
    } else if (clock.now() >= deadline) {
      failure = Failure{.outcome = Outcome::kLoadFailed,
                        .what = "the load point did not finish in time",
                        .phase = "load",
                        .cause = "no end after " + describe_duration(budget),
                        .remedy = "raise deadlines.load, or lower the load point's requests"};
    }
    if (failure) {
      step.close_stdin();  // it then writes what it has
      const TimePoint patience = clock.now() + Seconds(2);
      while (!step.poll() && clock.now() < patience) {
        clock.sleep_for(Millis(10));
      }
      stop_child(step, clock, Seconds(1), SIGTERM);
      return failure;
    }
    clock.sleep_for(Millis(10));
  }
  return processes_.dead("load");
}

std::optional<Failure> SlotRun::await_dead_process(Nanos patience) {
  Clock& clock = context_.tools.clock;
  const TimePoint deadline = clock.now() + patience;
  std::optional<Failure> dead = processes_.dead("load");
  while (!dead && clock.now() < deadline) {
    clock.sleep_for(Millis(20));
    dead = processes_.dead("load");
  }
  return dead;
}

}  // namespace sglexp
