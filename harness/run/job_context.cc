// SPDX-License-Identifier: Apache-2.0
#include "harness/run/job_context.h"

#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/probe/cache_dirs.h"

namespace sglexp {

namespace {

// Not $USER: cron and containers leave it out, and Slurm does not add it.
std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

}  // namespace

std::string JobContext::cache_root(const std::string& node) const {
  return expand_cache_root(run.profile.cache_root, user_name(),
                           fmt::format("{}-{}", run.token, job_id), node);
}

Status JobContext::enter_phase(std::string_view phase, int slot) {
  return journal.append("phase", nlohmann::json({{"phase", phase}, {"slot", slot}}).dump());
}

Result<std::unique_ptr<Child>> start_step(const JobContext& context, JobStep step) {
  const auto allocation =
      std::find_if(context.allocation.begin(), context.allocation.end(),
                   [&](const NodeAllocation& a) { return a.node == step.node; });
  if (allocation == context.allocation.end()) {
    return Error{ErrorCode::kInternal, fmt::format("{} is not a node of this job", step.node)};
  }
  const NodeTypeSpec& type =
      context.run.profile.node_types.at(context.run.scenario.allocation.node_type);
  const bool gpus = step.with_gpus && !allocation->gpus.empty();
  const std::vector<std::string> srun = srun_argv({
      .node = step.node,
      .gres = gpus ? fmt::format("{}:{}", type.gres, allocation->gpus.size()) : "",
      .cpus = static_cast<int>(allocation->cpus.size()),
      .forward_input = step.held,
      .job_name = "sglexp-" + context.run.token,
      .output = step.log,
      .argv = std::move(step.argv),
  });
  return context.tools.runner.start(
      {.argv = srun, .hold_stdin = step.held, .stdout_path = step.log, .stderr_path = step.log});
}

std::vector<std::optional<ExitStatus>> await_steps(const JobContext& context,
                                                   const std::vector<std::unique_ptr<Child>>& steps,
                                                   Nanos limit) {
  Clock& clock = context.tools.clock;
  const TimePoint end = clock.now() + limit;
  const auto running = [](const std::unique_ptr<Child>& step) { return !step->poll(); };
  while (clock.now() < end && std::any_of(steps.begin(), steps.end(), running)) {
    clock.sleep_for(Millis(10));
  }
  std::vector<std::optional<ExitStatus>> ended;
  for (const std::unique_ptr<Child>& step : steps) {
    ended.push_back(step->poll());
    if (!ended.back()) {
      stop_child(*step, clock, Seconds(2), SIGTERM);
    }
  }
  return ended;
}

Failure job_cancelled() {
  return {
      .outcome = Outcome::kCancelled,
      .what = "the job was asked to end before its plan was done",
      .cause = "SIGTERM: scancel, preemption, or the time limit",
      .remedy =
          "look at the job's state in Slurm; if it ran out of time, raise allocation.time_limit"};
}

Failure failure_from(const Error& error, Outcome outcome, const std::string& phase) {
  return {.outcome = error.code == ErrorCode::kInternal ? Outcome::kInternal : outcome,
          .what = "phase " + phase + " could not be done",
          .phase = phase,
          .cause = error.message};
}

}  // namespace sglexp
