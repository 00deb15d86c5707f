// SPDX-License-Identifier: Apache-2.0
#include "harness/run/agent.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/record/json.h"
#include "harness/run/postflight.h"
#include "harness/run/probe_phase.h"
#include "harness/run/slot_run.h"
#include "harness/sys/files.h"
#include "harness/sys/network.h"

namespace sglexp {

namespace {

using nlohmann::json;

Result<std::string> slurm_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') {
    return Error{
        ErrorCode::kInvalidInput,
        fmt::format("{} is not set: the agent is started by the batch script of a Slurm job",
                    name)};
  }
  return std::string(value);
}

// What Slurm gave, batch host first, with addresses as literals: engines bind to them.
Result<std::vector<NodeAllocation>> read_allocation(Scheduler& scheduler, const std::string& job_id,
                                                    const std::string& batch_host) {
  SGLEXP_TRY(std::vector<NodeAllocation> nodes, scheduler.allocation(job_id));
  if (nodes.empty()) {
    return Error{ErrorCode::kUnavailable, fmt::format("Slurm names no nodes of job {}", job_id)};
  }
  std::stable_partition(nodes.begin(), nodes.end(),
                        [&](const NodeAllocation& node) { return node.node == batch_host; });
  if (nodes.front().node != batch_host) {
    return Error{ErrorCode::kInternal,
                 fmt::format("batch host {} is not among the nodes of job {}", batch_host, job_id)};
  }
  for (NodeAllocation& node : nodes) {
    SGLEXP_TRY(const std::vector<std::string> addresses,
               resolve(node.address.empty() ? node.node : node.address));
    node.address = addresses.front();
  }
  return nodes;
}

// Inherited by every step: the marks that tell our processes from others', and the rendezvous.
void export_job_environment(const JobContext& context) {
  setenv("SGLEXP_RUN_TOKEN", context.run.token.c_str(), 1);
  setenv("MASTER_ADDR", context.allocation.front().address.c_str(), 1);
  setenv("MASTER_PORT", std::to_string(context.run.profile.port_base).c_str(), 1);
}

std::optional<Failure> run_slots(JobContext& context) {
  if (std::optional<Failure> failure = probe_phase(context)) {
    return failure;
  }
  for (const int index : context.job.slots) {
    if (context.stopping()) {
      return job_cancelled();
    }
    SlotRun slot(context, context.run.plan.slots[static_cast<std::size_t>(index)]);
    if (std::optional<Failure> failure = slot.run()) {
      return failure;
    }
  }
  return std::nullopt;
}

std::string postflight_file(const JobContext& context, const std::string& node, const char* kind) {
  return fmt::format("{}/nodes/{}.postflight{}.json", context.job_dir(), node, kind);
}

std::string postflight_log(const JobContext& context, const std::string& node) {
  return fmt::format("{}/nodes/{}.postflight.log", context.job_dir(), node);
}

PostflightSpec postflight_spec(const JobContext& context, const NodeAllocation& node) {
  const std::string& pattern = context.run.profile.cache_root;
  PostflightSpec spec{.node = node.node,
                      .address = node.address,
                      .run_token = context.run.token,
                      .cache_root = context.cache_root(node.node),
                      .cache_parent = pattern.substr(0, pattern.find('{'))};
  if (const auto ports = context.planned_ports.find(node.node);
      ports != context.planned_ports.end()) {
    spec.ports.assign(ports->second.begin(), ports->second.end());
  }
  return spec;
}

// One step a node that waits from the beginning to look at its end. It cannot be started then: in a
// job that is being cancelled no step starts any more ("Slurm job N has expired", seen on 22.05.8),
// and just there something may be left.
Result<std::vector<std::unique_ptr<Child>>> start_postflight(JobContext& context) {
  SGLEXP_CHECK(make_directories(context.job_dir() + "/nodes"));
  std::vector<std::unique_ptr<Child>> steps;
  for (const NodeAllocation& node : context.allocation) {
    const std::string spec_file = postflight_file(context, node.node, "-spec");
    SGLEXP_CHECK(
        write_file_atomic(spec_file, postflight_spec_to_json(postflight_spec(context, node))));
    SGLEXP_TRY(std::unique_ptr<Child> step,
               start_step(context, {.node = node.node,
                                    .held = true,
                                    .log = postflight_log(context, node.node),
                                    .argv = {context.tools.paths.program, "postflight",
                                             "--until-eof", "--spec", spec_file, "--out",
                                             postflight_file(context, node.node, "")}}));
    steps.push_back(std::move(step));
  }
  return steps;
}

// Lets the waiting steps look, now that all ports are known. Returns how each ended; empty: it had
// to be ended.
Result<std::vector<std::optional<ExitStatus>>> finish_postflight(
    JobContext& context, const std::vector<std::unique_ptr<Child>>& steps) {
  for (const NodeAllocation& node : context.allocation) {
    SGLEXP_CHECK(write_file_atomic(postflight_file(context, node.node, "-spec"),
                                   postflight_spec_to_json(postflight_spec(context, node))));
  }
  for (const std::unique_ptr<Child>& step : steps) {
    step->close_stdin();
  }
  return await_steps(context, steps, context.run.scenario.deadlines.teardown);
}

// Looks at every node for what may be left. Something that stays is an infrastructure failure: the
// next job on that node would pay for it.
Result<std::optional<Failure>> check_leftovers(JobContext& context,
                                               const std::vector<std::unique_ptr<Child>>& steps) {
  SGLEXP_CHECK(context.enter_phase("postflight", -1));
  SGLEXP_TRY(const auto ended, finish_postflight(context, steps));
  json leftovers = json::array();
  std::optional<Failure> failure;
  for (std::size_t i = 0; i < context.allocation.size(); ++i) {
    const std::string& node = context.allocation[i].node;
    const auto text = read_file(postflight_file(context, node, ""), 16 << 20);
    const auto report =
        text.ok() ? parse_postflight_report(*text) : Result<PostflightReport>(text.error());
    if (!report.ok()) {
      leftovers.push_back(node + ": not measured");
      failure = Failure{.outcome = Outcome::kInfrastructure,
                        .what = fmt::format("what is left on {} could not be measured", node),
                        .node = node,
                        .phase = "postflight",
                        .cause = ended[i] ? ended[i]->describe() : "no answer in time",
                        .files = postflight_log(context, node)};
      continue;
    }
    for (const std::string& leftover : report->leftovers) {
      leftovers.push_back(node + ": " + leftover);
    }
    if (!report->clean) {
      failure = Failure{.outcome = Outcome::kInfrastructure,
                        .what = fmt::format("something stayed behind on {}", node),
                        .node = node,
                        .phase = "postflight",
                        .cause = report->leftovers.empty() ? "" : report->leftovers.back(),
                        .remedy = "end it by hand, or drain the node"};
    }
  }
  SGLEXP_CHECK(context.journal.append(
      "postflight",
      json({{"leftovers", leftovers}}).dump(-1, ' ', false, json::error_handler_t::replace)));
  return failure;
}

Status write_job_started(JobContext& context) {
  json nodes = json::array();
  for (const NodeAllocation& node : context.allocation) {
    nodes.push_back({{"node", node.node},
                     {"address", node.address},
                     {"gpus", node.gpus},
                     {"cpus", node.cpus.size()}});
  }
  return context.journal.append(
      "job_started",
      json({{"job_id", context.job_id}, {"nodes", nodes}, {"plan_digest", context.run.plan.digest}})
          .dump());
}

Status write_job_finished(JournalWriter& journal, Outcome outcome,
                          const std::optional<Failure>& failure) {
  return journal.append(
      "job_finished",
      json({{"outcome", outcome_name(outcome)},
            {"failure", failure ? json::parse(failure_to_json(*failure)) : json(nullptr)}})
          .dump());
}

Result<Outcome> run_job(const RunFiles& run, const JobPlan& job, JournalWriter& journal,
                        const AgentTools& tools) {
  SGLEXP_TRY(const std::string job_id, slurm_variable("SLURM_JOB_ID"));
  SGLEXP_TRY(const std::string batch_host, slurm_variable("SLURMD_NODENAME"));
  JobContext context{.run = run, .job = job, .job_id = job_id, .journal = journal, .tools = tools};
  SGLEXP_TRY(context.allocation, read_allocation(tools.scheduler, job_id, batch_host));
  export_job_environment(context);
  SGLEXP_CHECK(write_job_started(context));
  SGLEXP_TRY(const auto postflight_steps, start_postflight(context));
  std::optional<Failure> failure = run_slots(context);
  if (failure && context.stopping()) {
    // Slurm ends steps and batch script together: a step that died then is a consequence.
    failure = job_cancelled();
  }
  const auto left = check_leftovers(context, postflight_steps);
  if (!failure) {
    failure =
        left.ok() ? *left : failure_from(left.error(), Outcome::kInfrastructure, "postflight");
  }
  const Outcome outcome = failure ? failure->outcome : Outcome::kPassed;
  SGLEXP_CHECK(write_job_finished(journal, outcome, failure));
  return outcome;
}

}  // namespace

Result<Outcome> run_agent(const RunFiles& run, const std::string& job_name,
                          const AgentTools& tools) {
  const auto job = std::find_if(run.plan.jobs.begin(), run.plan.jobs.end(),
                                [&](const JobPlan& j) { return j.name == job_name; });
  if (job == run.plan.jobs.end()) {
    return Error{ErrorCode::kInvalidInput, fmt::format("the plan has no job '{}'", job_name)};
  }
  SGLEXP_TRY(JournalWriter journal,
             JournalWriter::open(run.dir.job_journal(job_name), tools.clock));
  auto outcome = run_job(run, *job, journal, tools);
  if (!outcome.ok()) {
    // The controller waits for this line: an agent that gives up says so.
    const Failure failure = tools.signals.total() > 0
                                ? job_cancelled()
                                : failure_from(outcome.error(), Outcome::kInfrastructure, "agent");
    SGLEXP_CHECK(write_job_finished(journal, failure.outcome, failure));
    return failure.outcome;
  }
  return outcome;
}

}  // namespace sglexp
