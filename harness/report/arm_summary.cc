// SPDX-License-Identifier: Apache-2.0
#include "harness/report/arm_summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/counted_trials.h"
#include "harness/report/wording.h"
#include "harness/stats/intervals.h"
#include "harness/stats/quantiles.h"

namespace sglexp {

namespace {

constexpr int kLeastBlocks = 6;  // 2 / 2^6 < 0.05 <= 2 / 2^5

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

struct Axes {
  std::vector<std::string> metrics = {"output_tok_s"};
  std::vector<std::string> load_points;
  std::vector<std::string> arms;
};

// The comparison keeps the scenario's order of load points; trials come in the order they ran.
Axes axes_of(const RunReport& report) {
  Axes axes;
  if (report.comparison) {
    for (const MetricComparison& row : report.comparison->metrics) {
      add_once(axes.load_points, row.load_point);
      if (row.gate) {
        add_once(axes.metrics, row.metric);
      }
    }
  }
  for (const ArmInfo& arm : report.run.arms) {
    add_once(axes.arms, arm.name);
  }
  for (const TrialRecord& trial : report.trials) {
    add_once(axes.load_points, trial.key.load_point);
    add_once(axes.arms, trial.key.arm);
  }
  return axes;
}

std::vector<double> block_means(const CountedTrials& trials, ArmSummary& summary) {
  std::map<int, std::pair<double, int>> sums;
  for (const TrialRecord* const trial : trials) {
    for (const MetricValue& metric : trial->metrics) {
      if (metric.name == summary.metric && metric.value) {
        summary.unit = metric.unit;
        summary.direction = metric.direction;
        sums[trial->key.block].first += *metric.value;
        ++sums[trial->key.block].second;
      }
    }
  }
  std::vector<double> means;
  means.reserve(sums.size());
  for (const auto& [block, sum] : sums) {
    means.push_back(sum.first / sum.second);
  }
  return means;
}

ArmSummary summarize(const RunReport& report, const std::string& metric,
                     const std::string& load_point, const std::string& arm) {
  ArmSummary summary{.metric = metric, .load_point = load_point, .arm = arm};
  const std::vector<double> means =
      block_means(counted_trials(report.trials, arm, load_point), summary);
  summary.n = static_cast<int>(means.size());
  if (means.empty()) {
    return summary;
  }
  summary.median = median(means);
  if (const std::optional<Interval> interval = median_interval(means)) {
    summary.ci_low = interval->low;
    summary.ci_high = interval->high;
    summary.confidence = interval->confidence;
  }
  return summary;
}

}  // namespace

std::vector<ArmSummary> summarize_arms(const RunReport& report) {
  const Axes axes = axes_of(report);
  std::vector<ArmSummary> out;
  for (const std::string& metric : axes.metrics) {
    for (const std::string& load_point : axes.load_points) {
      for (const std::string& arm : axes.arms) {
        out.push_back(summarize(report, metric, load_point, arm));
      }
    }
  }
  return out;
}

std::string interval_note(const ArmSummary& arm) {
  if (arm.ci_low && arm.ci_high && arm.confidence) {
    return fmt::format("[{}, {}] ({})", number_text(*arm.ci_low), number_text(*arm.ci_high),
                       percent_text(*arm.confidence));
  }
  return arm.n == 0 ? "no trial counts"
                    : fmt::format("no 95% interval: needs {} blocks, has {}", kLeastBlocks, arm.n);
}

}  // namespace sglexp
