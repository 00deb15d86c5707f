// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/report/arm_summary.h"
#include "harness/report/report.h"
#include "harness/report/wording.h"

namespace sglexp {

namespace {

using nlohmann::ordered_json;

ordered_json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

// In PlacementRow -1 means that there is none.
ordered_json known(int value) {
  return value < 0 ? ordered_json(nullptr) : ordered_json(value);
}

ordered_json failure_object(const std::optional<Failure>& failure) {
  if (!failure) {
    return nullptr;
  }
  return {{"outcome", outcome_name(failure->outcome)},
          {"what", failure->what},
          {"node", failure->node},
          {"phase", failure->phase},
          {"cause", failure->cause},
          {"evidence", failure->evidence},
          {"remedy", failure->remedy},
          {"files", failure->files}};
}

ordered_json jobs_array(const RunReport& report) {
  ordered_json out = ordered_json::array();
  for (const ReportJob& job : report.jobs) {
    out.push_back({{"id", job.id}, {"name", job.name}, {"state", job.state}});
  }
  if (report.jobs.empty()) {
    for (const std::string& id : report.run.job_ids) {
      out.push_back({{"id", id}, {"name", nullptr}, {"state", nullptr}});
    }
  }
  return out;
}

ordered_json metrics_object(const TrialRecord& trial) {
  ordered_json out = ordered_json::object();
  for (const MetricValue& metric : trial.metrics) {
    out[metric.name] = {{"value", number(metric.value)},
                        {"unit", metric.unit},
                        {"direction", direction_name(metric.direction)},
                        {"n", metric.n},
                        {"reason", text_or_null(metric.reason)}};
  }
  return out;
}

ordered_json trials_array(const RunReport& report) {
  ordered_json out = ordered_json::array();
  for (const TrialRecord& trial : report.trials) {
    out.push_back({{"arm", trial.key.arm},
                   {"block", trial.key.block},
                   {"slot", trial.key.slot},
                   {"load_point", trial.key.load_point},
                   {"attempt", trial.key.attempt},
                   {"job", text_or_null(trial.job_id)},
                   {"started_utc", text_or_null(trial.started_utc)},
                   {"warmup_s", number(trial.warmup_s)},
                   {"measured_s", number(trial.measured_s)},
                   {"status", trial_status_name(trial.status)},
                   {"outcome", outcome_name(trial.outcome)},
                   {"discard_reason", text_or_null(trial.discard_reason)},
                   {"failure", failure_object(trial.failure)},
                   {"metrics", metrics_object(trial)},
                   {"output_digest", text_or_null(trial.output_digest)},
                   {"requests_file", text_or_null(trial.requests_file)}});
  }
  return out;
}

ordered_json arms_array(const RunReport& report) {
  ordered_json out = ordered_json::array();
  for (const ArmSummary& arm : summarize_arms(report)) {
    out.push_back({{"metric", arm.metric},
                   {"unit", arm.unit},
                   {"direction", direction_name(arm.direction)},
                   {"load_point", arm.load_point},
                   {"arm", arm.arm},
                   {"n", arm.n},
                   {"median", number(arm.median)},
                   {"ci_low", number(arm.ci_low)},
                   {"ci_high", number(arm.ci_high)},
                   {"confidence", number(arm.confidence)}});
  }
  return out;
}

ordered_json comparison_object(const MetricComparison& m, bool paired) {
  return {{"metric", m.metric},
          {"unit", m.unit},
          {"direction", direction_name(m.direction)},
          {"load_point", m.load_point},
          {"base_arm", m.base_arm},
          {"arm", m.arm},
          {"test", text_or_null(m.test)},
          {"paired", paired},
          {"base", number(m.base)},
          {"candidate", number(m.candidate)},
          {"ratio", number(m.ratio)},
          {"ci_low", number(m.ci_low)},
          {"ci_high", number(m.ci_high)},
          {"confidence_asked", number(m.confidence_asked)},
          {"confidence_achieved", number(m.confidence_achieved)},
          {"p", number(m.p)},
          {"p_adjusted", number(m.p_adjusted)},
          {"a12", number(m.a12)},
          {"n", std::min(m.n_base, m.n_candidate)},
          {"n_base", m.n_base},
          {"n_candidate", m.n_candidate},
          {"margin", number(m.margin)},
          {"gate", m.gate},
          {"fails_run", m.fails_run},
          {"verdict", verdict_name(m.verdict)},
          {"reason", text_or_null(m.reason)},
          {"more_runs", m.more_runs ? ordered_json(*m.more_runs) : ordered_json(nullptr)},
          {"confounded_with", text_or_null(m.confounded_with)}};
}

ordered_json comparisons_array(const RunReport& report) {
  ordered_json out = ordered_json::array();
  if (report.comparison) {
    for (const MetricComparison& metric : report.comparison->metrics) {
      out.push_back(comparison_object(metric, report.comparison->paired));
    }
  }
  return out;
}

ordered_json sanity_array(const RunReport& report) {
  ordered_json out = ordered_json::array();
  if (report.comparison) {
    for (const OutputSanity& row : report.comparison->output_sanity) {
      out.push_back({{"base_arm", row.base_arm},
                     {"arm", row.arm},
                     {"load_point", row.load_point},
                     {"pairs", row.pairs},
                     {"equal", row.equal},
                     {"note", text_or_null(row.note)}});
    }
  }
  return out;
}

ordered_json checks_object(const RunReport& report) {
  ordered_json out = {{"pass", 0}, {"warn", 0}, {"fail", 0}, {"not_applicable", 0}};
  for (const CheckResult& check : report.checks) {
    ordered_json& count = out[std::string(check_verdict_name(check.verdict))];
    count = count.get<int>() + 1;
  }
  ordered_json shown = ordered_json::array();
  for (const CheckResult& check : checks_to_show(report)) {
    shown.push_back({{"id", check.id},
                     {"node", text_or_null(check.node)},
                     {"required", check.required},
                     {"measured", check.measured},
                     {"verdict", check_verdict_name(check.verdict)},
                     {"expected", check.expected},
                     {"observed", check.observed},
                     {"evidence", check.evidence},
                     {"remedy", check.remedy}});
  }
  out["not_passed"] = std::move(shown);
  return out;
}

ordered_json placement_object(const TrialKey& key, const PlacementRow& row) {
  return {{"arm", key.arm},
          {"block", key.block},
          {"slot", key.slot},
          {"role", row.role},
          {"name", row.name},
          {"rank", row.rank},
          {"node", row.node},
          {"gpu_index", known(row.gpu_index)},
          {"gpu_pci", text_or_null(row.gpu_pci)},
          {"gpu_numa", known(row.gpu_numa)},
          {"cpus", row.cpus},
          {"mem_nodes", row.mem_nodes},
          {"port", row.port == 0 ? ordered_json(nullptr) : ordered_json(row.port)},
          {"observed_cpus", text_or_null(row.observed_cpus)},
          {"observed_gpus", text_or_null(row.observed_gpus)},
          {"simulated_binding", row.simulated_binding}};
}

// The load points of a slot share one launch, hence one placement.
ordered_json placement_array(const RunReport& report) {
  ordered_json out = ordered_json::array();
  std::set<std::pair<int, int>> seen;
  for (const TrialRecord& trial : report.trials) {
    if (!trial.placement.empty() && seen.insert({trial.key.slot, trial.key.attempt}).second) {
      for (const PlacementRow& row : trial.placement) {
        out.push_back(placement_object(trial.key, row));
      }
    }
  }
  return out;
}

ordered_json environment_object(const RunReport& report) {
  ordered_json out = ordered_json::object();
  for (const EnvironmentValue& value : report.environment) {
    out[value.node][value.name] = value.value;
  }
  return out;
}

}  // namespace

std::string report_json(const RunReport& report) {
  const RunInfo& run = report.run;
  const ordered_json none = nullptr;
  const ordered_json out = {
      {"schema", "sglexp-run/1"},
      {"run", run.uuid},
      {"scenario", run.scenario},
      {"status", run.status},
      {"outcome", run.outcome ? ordered_json(outcome_name(*run.outcome)) : none},
      {"exit_code", run.outcome ? ordered_json(static_cast<int>(report.exit)) : none},
      {"simulated", run.simulated},
      {"simulated_why", text_or_null(run.simulated_why)},
      {"cluster", run.cluster},
      {"seed", run.seed},
      {"started_utc", run.started_utc},
      {"ended_utc", text_or_null(run.ended_utc)},
      {"tool_version", run.tool_version},
      {"spec_hash", run.spec_hash},
      {"failure", failure_object(run.failure)},
      {"jobs", jobs_array(report)},
      {"arms", arms_array(report)},
      {"comparisons", comparisons_array(report)},
      {"output_sanity", sanity_array(report)},
      {"checks", checks_object(report)},
      {"trials", trials_array(report)},
      {"placement", placement_array(report)},
      {"environment", environment_object(report)},
      {"reproduce", reproduce_text(report)},
      {"paths",
       {{"run_dir", run.run_dir},
        {"report", text_or_null(report.report_file)},
        {"database", text_or_null(report.database)}}}};
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sglexp
