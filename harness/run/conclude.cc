// SPDX-License-Identifier: Apache-2.0
#include "harness/run/conclude.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/compare/compare.h"
#include "harness/report/report.h"
#include "harness/store/trials_digest.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

// Arms of one block that ran on different nodes are no pairs: the difference may be the nodes'.
std::string confounded_with(const std::vector<TrialRecord>& trials) {
  std::map<int, std::set<std::set<std::string>>> node_sets_by_block;
  for (const TrialRecord& trial : trials) {
    std::set<std::string> nodes;
    for (const PlacementRow& row : trial.placement) {
      if (row.role == "worker") {
        nodes.insert(row.node);
      }
    }
    if (!nodes.empty()) {
      node_sets_by_block[trial.key.block].insert(std::move(nodes));
    }
  }
  const bool differ = std::any_of(node_sets_by_block.begin(), node_sets_by_block.end(),
                                  [](const auto& block) { return block.second.size() > 1; });
  return differ ? "nodes" : "";
}

std::optional<Comparison> compare_run(const RunFiles& run, const std::vector<TrialRecord>& trials) {
  if (run.scenario.arms.size() < 2 || trials.empty()) {
    return std::nullopt;
  }
  CompareRequest request = compare_request(run.scenario);
  request.simulated = run.plan.simulated;
  request.confounded_with = confounded_with(trials);
  return compare_arms(trials, request);
}

// The jobs say that all is well; the record must say so too.
std::optional<Failure> incomplete_record(const RunFiles& run,
                                         const std::vector<TrialRecord>& trials) {
  const auto good = std::count_if(trials.begin(), trials.end(), [](const TrialRecord& trial) {
    return trial.status == TrialStatus::kOk;
  });
  if (good == run.plan.trials) {
    return std::nullopt;
  }
  return Failure{
      .outcome = Outcome::kInvalid,
      .what = fmt::format("the record holds {} good trials of {} planned", good, run.plan.trials),
      .phase = "conclude",
      .cause = "a job ended well without having measured its whole plan",
      .remedy = "look for discarded or failed trials in the report",
      .files = run.dir.root()};
}

bool nothing_judged(const std::vector<CheckResult>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const CheckResult& check) {
    return check.verdict == CheckVerdict::kNotApplicable;
  });
}

bool gate_could_fail(const Scenario& scenario) {
  return std::any_of(scenario.gates.begin(), scenario.gates.end(),
                     [](const GateSpec& gate) { return gate.fails_run; });
}

JobsEnd decide(const RunFiles& run, const JobsEnd& jobs, const std::vector<TrialRecord>& trials,
               const std::vector<CheckResult>& checks,
               const std::optional<Comparison>& comparison) {
  JobsEnd end = jobs;
  if (end.outcome != Outcome::kPassed) {
    return end;
  }
  if (run.plan.trials == 0 && nothing_judged(checks)) {
    return {.outcome = Outcome::kInfrastructure,
            .failure = Failure{.outcome = Outcome::kInfrastructure,
                               .what = "nothing was measured: every check is off or not applicable",
                               .phase = "conclude",
                               .cause = "a scenario without load points lives by its checks",
                               .remedy = "switch checks on"}};
  }
  if (const auto failure = incomplete_record(run, trials)) {
    return {.outcome = failure->outcome, .failure = failure};
  }
  if (comparison || gate_could_fail(run.scenario)) {
    end.outcome = comparison ? gate_outcome(*comparison) : Outcome::kInfrastructure;
    if (end.outcome == Outcome::kInfrastructure) {
      end.failure = Failure{.outcome = end.outcome,
                            .what = "a declared gate could not be evaluated",
                            .phase = "compare",
                            .cause = "see the comparison's reasons",
                            .remedy = "a gate must name a metric that both arms measure"};
    }
  }
  return end;
}

std::string run_status_word(const JobsEnd& end, const std::vector<TrialRecord>& trials) {
  if (end.outcome == Outcome::kCancelled) {
    return "aborted";
  }
  return end.failure ? (trials.empty() ? "aborted" : "partial") : "complete";
}

// Facts of the nodes as name and value; several jobs on one node agree or the last one stands.
std::vector<EnvironmentValue> environment_values(const std::vector<EnvironmentFact>& facts) {
  std::map<std::pair<std::string, std::string>, std::string> by_name;
  for (const EnvironmentFact& fact : facts) {
    const auto values = nlohmann::json::parse(fact.json, nullptr, false);
    for (const auto& [name, value] : values.items()) {
      if (fact.scope == "node" && value.is_string()) {
        by_name[{fact.node, name}] = value.get<std::string>();
      }
    }
  }
  std::vector<EnvironmentValue> out;
  for (const auto& [key, value] : by_name) {
    out.push_back({.node = key.first, .name = key.second, .value = value});
  }
  return out;
}

// The command line that asks for the same again, from the inputs that the run's directory keeps.
std::string reproduce_command(const RunInfo& info) {
  const auto spec = nlohmann::json::parse(info.spec_json, nullptr, false);
  const auto asked = spec.is_object() ? spec.value("invocation", nlohmann::json::object())
                                      : nlohmann::json::object();
  std::string out =
      fmt::format("sglexp run {} --cluster {}", shell_quote(asked.value("scenario", info.scenario)),
                  shell_quote(asked.value("cluster", info.cluster)));
  for (const auto& [flag, key] : {std::pair{"--set", "set"}, std::pair{"--only", "only"}}) {
    for (const auto& word : asked.value(key, nlohmann::json::array())) {
      out += fmt::format(" {} {}", flag, shell_quote(word.get<std::string>()));
    }
  }
  return out;
}

Status write_reports(const RunFiles& run, const RunReport& report) {
  SGLEXP_CHECK(write_file_atomic(run.dir.file("report.json"), report_json(report)));
  return write_file_atomic(run.dir.file("report.md"), report_markdown(report));
}

}  // namespace

Result<Outcome> conclude_run(const RunFiles& run, const JobsEnd& jobs, const ExitPolicy& policy,
                             const std::string& ended_utc, Store& store) {
  SGLEXP_TRY(const std::vector<TrialRecord> trials, store.load_trials(run.uuid));
  const std::optional<Comparison> comparison = compare_run(run, trials);
  SGLEXP_TRY(const std::vector<CheckResult> checks, store.load_checks(run.uuid));
  const JobsEnd end = decide(run, jobs, trials, checks, comparison);
  if (comparison) {
    SGLEXP_CHECK(store.put_comparison(
        run.uuid, {.base_ref = run.uuid,
                   .cand_ref = run.uuid,
                   .made_utc = ended_utc,
                   .inputs_sha256 = trials_digest(trials),
                   .exit_code = static_cast<int>(exit_code(end.outcome, policy)),
                   .comparison = *comparison}));
  }
  SGLEXP_TRY(RunInfo info, store.load_run(run.uuid));
  info.ended_utc = ended_utc;
  info.outcome = end.outcome;
  info.failure = end.failure;
  info.status = run_status_word(end, trials);
  SGLEXP_CHECK(store.finish_run(info));
  SGLEXP_TRY(RunReport report, load_run_report(run.uuid, policy, store));
  report.exit = jobs.interrupted ? ExitCode::kInterrupted : report.exit;
  SGLEXP_CHECK(write_reports(run, report));
  return end.outcome;
}

Result<RunReport> load_run_report(const std::string& run_uuid, const ExitPolicy& policy,
                                  const Store& store) {
  RunReport report;
  SGLEXP_TRY(report.run, store.load_run(run_uuid));
  SGLEXP_TRY(report.checks, store.load_checks(run_uuid));
  SGLEXP_TRY(report.trials, store.load_trials(run_uuid));
  SGLEXP_TRY(std::vector<ComparisonRecord> comparisons, store.load_comparisons(run_uuid));
  SGLEXP_TRY(const std::vector<RunJob> jobs, store.load_jobs(run_uuid));
  for (const RunJob& job : jobs) {
    report.jobs.push_back({.id = job.slurm_job_id, .name = job.name, .state = job.state});
  }
  SGLEXP_TRY(const std::vector<EnvironmentFact> environment, store.load_environment(run_uuid));
  report.environment = environment_values(environment);
  report.reproduce = reproduce_command(report.run);
  if (!comparisons.empty()) {
    report.comparison = std::move(comparisons.back().comparison);
  }
  report.exit =
      report.run.outcome ? exit_code(*report.run.outcome, policy) : ExitCode::kInfrastructure;
  report.report_file = report.run.run_dir + "/report.md";
  return report;
}

}  // namespace sglexp
