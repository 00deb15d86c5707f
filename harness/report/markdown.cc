// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/arm_summary.h"
#include "harness/report/markdown_text.h"
#include "harness/report/placement_summary.h"
#include "harness/report/report.h"
#include "harness/report/wording.h"

namespace sglexp {

namespace {

using Row = std::vector<std::string>;

std::string code(std::string_view text) {
  return markdown_code(text);
}

std::string prose(std::string_view text) {
  return markdown_text(text);
}

void add_head(MarkdownDocument& out, const RunReport& report) {
  const RunInfo& run = report.run;
  out.paragraph("# " + prose(headline(report)));
  if (run.simulated) {
    out.paragraph("> **" + prose(simulated_text(run)) +
                  "**: these numbers say nothing about hardware.");
  }
  const std::string gates = gate_counts(report);
  if (!gates.empty()) {
    out.paragraph("Gates: " + prose(gates) + ".");
  }
  std::vector<Row> rows = {{"run", code(run.uuid)},
                           {"scenario", code(run.scenario)},
                           {"cluster", code(run.cluster)},
                           {"jobs", code(join(run.job_ids, ", "))},
                           {"started", prose(run.started_utc)},
                           {"ended", prose(run.ended_utc)},
                           {"seed", std::to_string(run.seed)},
                           {"sglexp", prose(run.tool_version)},
                           {"trials", prose(trial_counts(report))},
                           {"checks", prose(check_counts(report))},
                           {"files", code(run.run_dir)}};
  out.table({"", ""}, rows);
}

void add_failure(MarkdownDocument& out, const RunReport& report) {
  if (!report.run.failure) {
    return;
  }
  const Failure& failure = *report.run.failure;
  out.paragraph("## Failure");
  out.paragraph("**" + prose(failure.what) + "**");
  std::vector<Row> rows;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) {
      rows.push_back({label, text});
    }
  };
  add("node", code(failure.node));
  add("phase", prose(failure.phase));
  add("cause", prose(failure.cause));
  add("remedy", prose(failure.remedy));
  add("files", code(failure.files));
  out.table({"", ""}, rows);
  if (!failure.evidence.empty()) {
    out.paragraph("Evidence:\n\n" + markdown_block(failure.evidence));
  }
}

void add_metric_table(MarkdownDocument& out, const std::vector<MetricComparison>& metrics) {
  std::vector<Row> rows;
  rows.reserve(metrics.size());
  for (const MetricComparison& m : metrics) {
    rows.push_back({code(m.load_point), code(m.metric), std::string(direction_name(m.direction)),
                    fmt::format("{} ({})", prose(value_text(m.base, m.unit)), m.n_base),
                    fmt::format("{} ({})", prose(value_text(m.candidate, m.unit)), m.n_candidate),
                    prose(marked_change(m)), interval_text(m.ci_low, m.ci_high),
                    prose(p_text(m.p_adjusted ? m.p_adjusted : m.p)), prose(verdict_text(m))});
  }
  out.table(
      {"load", "metric", "better", "base (n)", "arm (n)", "change", "interval", "p", "verdict"},
      rows);
}

// One table an arm, since the base stands beside it in every row.
void add_by_arm(MarkdownDocument& out, const RunReport& report,
                const std::vector<MetricComparison>& metrics) {
  std::vector<std::pair<std::string, std::vector<MetricComparison>>> by_arm;
  for (const MetricComparison& m : metrics) {
    if (by_arm.empty() || by_arm.back().first != m.arm) {
      by_arm.push_back({m.arm, {}});
    }
    by_arm.back().second.push_back(m);
  }
  for (const auto& [arm, rows] : by_arm) {
    out.paragraph(fmt::format("{} against {} (base), {}:", code(arm), code(rows.front().base_arm),
                              prose(pairing_text(*report.comparison))));
    add_metric_table(out, rows);
  }
}

void add_comparison(MarkdownDocument& out, const RunReport& report) {
  if (!report.comparison || report.comparison->metrics.empty()) {
    return;
  }
  out.paragraph("## Verdict");
  add_by_arm(out, report, deciding_rows(report));
  const std::vector<MetricComparison> others = other_rows(report);
  if (!others.empty()) {
    out.begin_details(fmt::format("{} more compared, for information: {}", others.size(),
                                  prose(verdict_counts(others))));
    add_by_arm(out, report, others);
    out.end_details();
  }
  out.paragraph(
      "Change and interval are of the ratio arm / base; `~` marks no change, `?` undecided; p of "
      "gates is Holm-adjusted.");
}

void add_arms(MarkdownDocument& out, const RunReport& report) {
  std::vector<Row> rows;
  for (const ArmSummary& arm : summarize_arms(report)) {
    if (arm.n > 0) {
      rows.push_back({code(arm.metric), code(arm.load_point), code(arm.arm),
                      prose(value_text(arm.median, arm.unit)), interval_note(arm),
                      std::to_string(arm.n)});
    }
  }
  if (!rows.empty()) {
    out.paragraph("## Arms");
    out.table({"metric", "load", "arm", "median over blocks", "interval", "blocks"}, rows);
  }
}

void add_checks(MarkdownDocument& out, const RunReport& report) {
  std::vector<Row> rows;
  for (const CheckResult& check : checks_to_show(report)) {
    rows.push_back({std::string(check_verdict_name(check.verdict)), code(check.id),
                    check.node.empty() ? "cluster" : code(check.node), prose(check.expected),
                    check.measured ? prose(check.observed) : "not measured", code(check.evidence),
                    prose(check.remedy)});
  }
  if (!rows.empty()) {
    out.paragraph("## Checks that did not pass");
    out.table({"verdict", "check", "node", "expected", "observed", "evidence", "remedy"}, rows);
  }
}

void add_placement(MarkdownDocument& out, const RunReport& report) {
  std::vector<Row> rows;
  for (const PlacementSummary& p : summarize_placement(report)) {
    rows.push_back({code(p.arm), code(p.row.node), code(process_text(p.row)),
                    prose(gpu_text(p.row)), prose(p.row.cpus), prose(p.row.mem_nodes),
                    p.row.port == 0 ? "-" : std::to_string(p.row.port), prose(observed_text(p.row)),
                    format_ranges(p.slots)});
  }
  if (!rows.empty()) {
    out.paragraph("## Placement");
    out.table({"arm", "node", "process", "GPU", "CPUs", "memory", "port", "seen", "slots"}, rows);
  }
}

// A fact that all nodes share is told once.
void add_environment(MarkdownDocument& out, const RunReport& report) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> nodes_by_value;
  std::set<std::string> nodes;
  for (const EnvironmentValue& fact : report.environment) {
    nodes_by_value[fact.name][fact.value].insert(fact.node);
    nodes.insert(fact.node);
  }
  std::vector<Row> rows;
  for (const auto& [name, values] : nodes_by_value) {
    for (const auto& [value, where] : values) {
      const std::vector<std::string> names(where.begin(), where.end());
      rows.push_back({code(name), code(value),
                      where == nodes ? "all" : "**" + prose(join(names, ", ")) + "**"});
    }
  }
  if (!rows.empty()) {
    out.paragraph("## Environment");
    out.table({"fact", "value", "nodes"}, rows);
  }
}

void add_sanity(MarkdownDocument& out, const RunReport& report) {
  if (!report.comparison || report.comparison->output_sanity.empty()) {
    return;
  }
  std::vector<Row> rows;
  for (const OutputSanity& row : report.comparison->output_sanity) {
    rows.push_back({code(row.load_point), code(row.base_arm), code(row.arm),
                    fmt::format("{} of {}", row.equal, row.pairs), prose(row.note)});
  }
  out.paragraph("## Output sanity");
  out.paragraph("Greedy outputs of both arms, block by block:");
  out.table({"load", "base", "arm", "equal", "note"}, rows);
}

void add_trials(MarkdownDocument& out, const RunReport& report) {
  std::vector<Row> rows;
  for (const TrialRecord& trial : report.trials) {
    std::string throughput = "none";
    for (const MetricValue& metric : trial.metrics) {
      if (metric.name == "output_tok_s") {
        throughput = value_text(metric.value, metric.unit);
      }
    }
    rows.push_back({std::to_string(trial.key.slot), std::to_string(trial.key.block),
                    code(trial.key.arm), code(trial.key.load_point),
                    std::string(trial_status_name(trial.status)),
                    prose(outcome_name(trial.outcome)), prose(throughput),
                    prose(trial.failure ? trial.failure->what : trial.discard_reason)});
  }
  if (!rows.empty()) {
    out.begin_details(fmt::format("Trials ({})", rows.size()));
    out.table({"slot", "block", "arm", "load", "status", "outcome", "output", "note"}, rows);
    out.end_details();
  }
}

}  // namespace

std::string report_markdown(const RunReport& report, std::size_t max_bytes) {
  MarkdownDocument out(max_bytes);
  add_head(out, report);
  add_failure(out, report);
  add_comparison(out, report);
  add_arms(out, report);
  add_checks(out, report);
  add_sanity(out, report);
  out.paragraph("## Reproduce\n\n" + markdown_block(reproduce_text(report)));
  // Long and least read last: they are what a full document loses.
  add_placement(out, report);
  add_environment(out, report);
  add_trials(out, report);
  return out.finish();
}

}  // namespace sglexp
