// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/arm_summary.h"
#include "harness/report/failure_summary.h"
#include "harness/report/layout.h"
#include "harness/report/placement_summary.h"
#include "harness/report/report.h"
#include "harness/report/wording.h"

namespace sglexp {

namespace {

constexpr std::size_t kNameBytes = 24;  // of arms, metrics and load points in columns

std::string name(std::string_view text) {
  return ascii(text, kNameBytes);
}

std::string direction_words(Direction direction) {
  switch (direction) {
    case Direction::kHigherIsBetter:
      return ", higher is better";
    case Direction::kLowerIsBetter:
      return ", lower is better";
    case Direction::kNone:
      break;
  }
  return "";
}

std::string header(const RunReport& report) {
  std::string out = headline(report) + "\n";
  if (report.run.simulated) {
    out += ascii(simulated_text(report.run)) + "\n";
  }
  out += fmt::format("run {}  {} on {}\n", report.run.uuid, name(report.run.scenario),
                     name(report.run.cluster));
  return out;
}

std::string arms_section(const RunReport& report) {
  std::string out;
  const std::vector<ArmSummary> arms = summarize_arms(report);
  for (auto first = arms.begin(); first != arms.end();) {
    const auto last = std::find_if(
        first, arms.end(), [&](const ArmSummary& arm) { return arm.metric != first->metric; });
    const auto known = std::find_if(first, last, [](const ArmSummary& arm) { return arm.n > 0; });
    if (known != last) {
      out += fmt::format("\n{}{}: median over blocks, [interval]\n", name(first->metric),
                         direction_words(known->direction));
      TextTable table(2);
      for (auto arm = first; arm != last; ++arm) {
        table.row({name(arm->load_point), name(arm->arm),
                   value_text(arm->median, ascii(arm->unit, 12)), interval_note(*arm),
                   fmt::format("n={}", arm->n)});
      }
      out += table.text();
    }
    first = last;
  }
  return out;
}

// Two lines a row, since one line would not fit in 80 columns: numbers, then what they mean.
std::string comparison_rows(const std::vector<MetricComparison>& rows) {
  TextTable table(2);
  table.row({"load", "metric", "base (n)", "arm (n)", "change",
             fmt::format("{} CI", percent_text(rows.front().confidence_asked))});
  for (const MetricComparison& m : rows) {
    const std::string unit = ascii(m.unit, 12);
    table.row({name(m.load_point), name(m.metric),
               fmt::format("{} ({})", value_text(m.base, unit), m.n_base),
               fmt::format("{} ({})", value_text(m.candidate, unit), m.n_candidate),
               marked_change(m), interval_text(m.ci_low, m.ci_high)});
    for (const std::string& line : wrap(ascii(verdict_text(m)), kTerminalWidth - 6, 3)) {
      table.line("    " + line);
    }
  }
  return table.text();
}

std::string comparison_section(const RunReport& report, const std::vector<MetricComparison>& rows) {
  std::string out;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(),
                                   [&](const MetricComparison& m) { return m.arm != first->arm; });
    out += fmt::format("\n{} against {} (base), {}\n", name(first->arm), name(first->base_arm),
                       ascii(pairing_text(*report.comparison), 60));
    out += comparison_rows({first, last});
    first = last;
  }
  return out;
}

std::string sanity_section(const RunReport& report) {
  std::string out;
  if (!report.comparison) {
    return out;
  }
  for (const OutputSanity& row : report.comparison->output_sanity) {
    if (row.pairs != row.equal || !row.note.empty()) {
      out += labelled(
          "outputs",
          fmt::format("{} at {}: equal in {} of {} blocks{}{}", name(row.arm), name(row.load_point),
                      row.equal, row.pairs, row.note.empty() ? "" : ": ", ascii(row.note, 200)),
          2);
    }
  }
  return out;
}

std::string counts_section(const RunReport& report, bool with_others) {
  std::string out;
  const std::string gates = gate_counts(report);
  if (!gates.empty()) {
    out += labelled("gates", gates, 2);
  }
  const std::vector<MetricComparison> others = other_rows(report);
  if (with_others && !others.empty()) {
    out += labelled(
        "others",
        fmt::format("{} more compared, for information: {}", others.size(), verdict_counts(others)),
        2);
  }
  if (!report.trials.empty()) {
    out += labelled("trials", trial_counts(report), 1);
  }
  if (!report.checks.empty()) {
    out += labelled("checks", check_counts(report), 1);
  }
  return out;
}

std::string where_section(const RunReport& report) {
  std::string out;
  if (!report.run.failure) {
    out += fmt::format("{:<10}{}\n", "files", ascii(report.run.run_dir, 4096));
  }
  if (!report.report_file.empty()) {
    out += fmt::format("{:<10}{}\n", "report", ascii(report.report_file, 4096));
  }
  return out;
}

// A failed run without results is told by its failure alone.
bool has_results(const RunReport& report) {
  return std::any_of(report.trials.begin(), report.trials.end(),
                     [](const TrialRecord& trial) { return trial.status == TrialStatus::kOk; });
}

std::string checks_section(const RunReport& report) {
  std::string out;
  for (const CheckResult& check : checks_to_show(report)) {
    out += fmt::format("\n{} {} on {}\n", check_verdict_name(check.verdict), name(check.id),
                       check.node.empty() ? "the cluster" : ascii(check.node, 64));
    out += labelled("expected", ascii(check.expected), 3);
    out += labelled("observed", check.measured ? ascii(check.observed) : "not measured", 3);
    out += labelled("evidence", ascii(check.evidence), 3);
    out += labelled("remedy", ascii(check.remedy), 3);
  }
  return out;
}

std::string placement_section(const RunReport& report) {
  const std::vector<PlacementSummary> rows = summarize_placement(report);
  if (rows.empty()) {
    return "";
  }
  TextTable table(2);
  table.row({"arm", "node", "process", "GPU", "CPUs", "port", "seen", "slots"});
  for (const PlacementSummary& p : rows) {
    table.row({name(p.arm), name(p.row.node), name(process_text(p.row)), ascii(gpu_text(p.row), 40),
               ascii(p.row.cpus, 40), p.row.port == 0 ? "-" : std::to_string(p.row.port),
               ascii(observed_text(p.row), 60), format_ranges(p.slots)});
  }
  return "\nplacement\n" + table.text();
}

std::string trials_section(const RunReport& report) {
  if (report.trials.empty()) {
    return "";
  }
  TextTable table(2);
  table.row({"slot", "block", "arm", "load", "status", "outcome", "note"});
  for (const TrialRecord& trial : report.trials) {
    table.row({std::to_string(trial.key.slot), std::to_string(trial.key.block), name(trial.key.arm),
               name(trial.key.load_point), std::string(trial_status_name(trial.status)),
               std::string(outcome_name(trial.outcome)),
               ascii(trial.failure ? trial.failure->what : trial.discard_reason, 60)});
  }
  return "\ntrials\n" + table.text();
}

}  // namespace

std::string report_text(const RunReport& report) {
  std::string out = header(report);
  if (has_results(report)) {
    out += arms_section(report) + comparison_section(report, deciding_rows(report)) + "\n" +
           sanity_section(report) + counts_section(report, true);
  }
  if (report.run.failure && has_results(report)) {
    out += "\n";
  }
  return out + failure_summary(report) + where_section(report);
}

std::string report_detail_text(const RunReport& report) {
  std::string out = header(report);
  const std::vector<std::string>& jobs = report.run.job_ids;
  out += labelled("started", report.run.started_utc, 1);
  out += labelled("ended", report.run.ended_utc.empty() ? "-" : report.run.ended_utc, 1);
  out += labelled("jobs", jobs.empty() ? "none" : ascii(join(jobs, ", ")), 3);
  out += labelled("seed", std::to_string(report.run.seed), 1);
  out += counts_section(report, false);
  out += arms_section(report);
  std::vector<MetricComparison> rows = deciding_rows(report);
  const std::vector<MetricComparison> others = other_rows(report);
  rows.insert(rows.end(), others.begin(), others.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.arm < b.arm; });
  out += comparison_section(report, rows);
  out += checks_section(report) + placement_section(report) + trials_section(report);
  return out + "\n" + sanity_section(report) + failure_summary(report) + where_section(report);
}

}  // namespace sglexp
