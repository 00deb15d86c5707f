// SPDX-License-Identifier: Apache-2.0
#include "harness/report/wording.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

constexpr std::string_view kThroughput = "output_tok_s";

std::string upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '_' ? ' ' : c;
  });
  return out;
}

std::string spaced(std::string_view word) {
  std::string out(word);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

// "3 worse, 1 no change": counts by word in the order given, without zeros.
std::string count_text(const std::map<std::string, int>& counts,
                       const std::vector<std::string>& order) {
  std::vector<std::string> parts;
  for (const std::string& word : order) {
    const auto found = counts.find(word);
    if (found != counts.end()) {
      parts.push_back(fmt::format("{} {}", found->second, spaced(word)));
    }
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

std::string without_negative_zero(const std::string& text) {
  return text == "-0.0%" ? "0.0%" : text;
}

bool decides(const MetricComparison& metric, bool any_gate) {
  return any_gate ? metric.gate : metric.metric == kThroughput;
}

std::vector<MetricComparison> rows_where(const RunReport& report, bool deciding) {
  std::vector<MetricComparison> out;
  if (!report.comparison) {
    return out;
  }
  const std::vector<MetricComparison>& rows = report.comparison->metrics;
  const bool any_gate = std::any_of(rows.begin(), rows.end(), [](const auto& m) { return m.gate; });
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(out),
               [&](const MetricComparison& m) { return decides(m, any_gate) == deciding; });
  return out;
}

}  // namespace

std::string number_text(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) {
    return "none";
  }
  if (size >= 1e7 || (size > 0 && size < 1e-3)) {
    return fmt::format("{:.3e}", value);
  }
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", value, value == 0 ? 0 : decimals);
}

std::string value_text(std::optional<double> value, std::string_view unit) {
  if (!value) {
    return "none";
  }
  return unit.empty() || unit == "1" ? number_text(*value)
                                     : fmt::format("{} {}", number_text(*value), unit);
}

std::string change_text(double ratio) {
  return without_negative_zero(fmt::format("{:+.1f}%", 100 * (ratio - 1)));
}

std::string interval_text(std::optional<double> low, std::optional<double> high) {
  return low && high ? fmt::format("[{}, {}]", change_text(*low), change_text(*high)) : "none";
}

std::string p_text(std::optional<double> p) {
  if (!p) {
    return "none";
  }
  return *p < 1e-4 ? "<1e-4" : fmt::format("{:.3g}", *p);
}

std::string percent_text(double fraction) {
  return fmt::format("{:.3g}%", 100 * fraction);
}

std::string marked_change(const MetricComparison& metric) {
  if (!metric.ratio) {
    return "none";
  }
  const std::string_view mark = metric.verdict == Verdict::kNoChange       ? "~ "
                                : metric.verdict == Verdict::kInconclusive ? "? "
                                                                           : "";
  return fmt::format("{}{}", mark, change_text(*metric.ratio));
}

std::string verdict_text(const MetricComparison& metric) {
  std::string out = spaced(verdict_name(metric.verdict));
  if (metric.margin > 0) {
    out += fmt::format(" (margin {})", percent_text(metric.margin));
  }
  if (metric.p_adjusted) {
    out += ", p(Holm) " + p_text(metric.p_adjusted);
  } else if (metric.p) {
    out += ", p " + p_text(metric.p);
  }
  std::vector<std::string> notes;
  if (!metric.reason.empty()) {
    notes.push_back(metric.reason);
  }
  if (metric.more_runs) {
    notes.push_back(fmt::format("about {} more run{} per arm", *metric.more_runs,
                                *metric.more_runs == 1 ? "" : "s"));
  }
  if (metric.confidence_achieved) {
    notes.push_back(fmt::format("interval {}", percent_text(*metric.confidence_achieved)));
  }
  if (!metric.confounded_with.empty()) {
    notes.push_back("confounded with " + metric.confounded_with);
  }
  return notes.empty() ? out : out + ": " + join(notes, "; ");
}

std::string headline(const RunReport& report) {
  if (!report.run.outcome) {
    return "RUNNING: no outcome yet";
  }
  const std::string_view sentence = report.exit == ExitCode::kInterrupted
                                        ? "stopped by Ctrl-C"
                                        : outcome_sentence(*report.run.outcome);
  return fmt::format("{} (exit {}): {}", upper(outcome_name(*report.run.outcome)),
                     static_cast<int>(report.exit), sentence);
}

std::string simulated_text(const RunInfo& run) {
  if (!run.simulated) {
    return "";
  }
  return fmt::format("SIMULATED ({})",
                     run.simulated_why.empty() ? "reason not recorded" : run.simulated_why);
}

std::string verdict_counts(std::span<const MetricComparison> metrics) {
  std::map<std::string, int> counts;
  for (const MetricComparison& metric : metrics) {
    ++counts[std::string(verdict_name(metric.verdict))];
  }
  return count_text(counts,
                    {"worse", "better", "no_change", "inconclusive", "not_comparable", "no_data"});
}

std::string gate_counts(const RunReport& report) {
  std::vector<MetricComparison> gates = deciding_rows(report);
  std::erase_if(gates, [](const MetricComparison& m) { return !m.gate; });
  if (gates.empty()) {
    return "";
  }
  const bool harmless =
      std::none_of(gates.begin(), gates.end(), [](const auto& m) { return m.fails_run; });
  return verdict_counts(gates) + (harmless ? "; none of them fails the run" : "");
}

std::string trial_counts(const RunReport& report) {
  std::map<std::string, int> counts;
  for (const TrialRecord& trial : report.trials) {
    ++counts[std::string(trial_status_name(trial.status))];
  }
  return count_text(counts, {"ok", "test_failed", "infra_failed", "discarded"});
}

std::string check_counts(const RunReport& report) {
  std::map<std::string, int> counts;
  for (const CheckResult& check : report.checks) {
    ++counts[std::string(check_verdict_name(check.verdict))];
  }
  return count_text(counts, {"pass", "warn", "fail", "not_applicable"});
}

std::string pairing_text(const Comparison& comparison) {
  if (comparison.paired) {
    return "paired by block";
  }
  const auto confounded =
      std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                   [](const MetricComparison& m) { return !m.confounded_with.empty(); });
  return confounded == comparison.metrics.end()
             ? "unpaired"
             : "unpaired: confounded with " + confounded->confounded_with;
}

std::vector<MetricComparison> deciding_rows(const RunReport& report) {
  return rows_where(report, true);
}

std::vector<MetricComparison> other_rows(const RunReport& report) {
  return rows_where(report, false);
}

std::vector<CheckResult> checks_to_show(const RunReport& report) {
  std::vector<CheckResult> out;
  std::copy_if(report.checks.begin(), report.checks.end(), std::back_inserter(out),
               [](const CheckResult& check) {
                 return check.verdict != CheckVerdict::kPass &&
                        check.verdict != CheckVerdict::kNotApplicable;
               });
  // What failed first; within that as the catalogue orders them.
  std::stable_partition(out.begin(), out.end(), [](const CheckResult& check) {
    return check.verdict == CheckVerdict::kFail;
  });
  return out;
}

std::string reproduce_text(const RunReport& report) {
  if (!report.reproduce.empty()) {
    return report.reproduce;
  }
  return fmt::format("sglexp run {} --cluster {} --set repeats.seed={}",
                     shell_quote(report.run.scenario), shell_quote(report.run.cluster),
                     report.run.seed);
}

}  // namespace sglexp
