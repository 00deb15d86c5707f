// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/compare.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/compare/counted_trials.h"
#include "harness/compare/measurement.h"
#include "harness/compare/output_sanity.h"

namespace sglexp {
namespace {

const GateSpec* gate_for(const CompareRequest& request, std::string_view metric,
                         const std::string& load_point) {
  const auto it = std::ranges::find_if(request.gates, [&](const GateSpec& gate) {
    return gate.metric == metric &&
           (gate.load_points.empty() || std::ranges::count(gate.load_points, load_point) > 0);
  });
  return it == request.gates.end() ? nullptr : &*it;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) {
    names.push_back(name);
  }
}

// Gated metrics first, since they decide; then what the trials report, in their order.
std::vector<std::string> metrics_at(const CompareRequest& request, const std::string& load_point,
                                    const CountedTrials& base, const CountedTrials& candidate) {
  std::vector<std::string> names;
  for (const GateSpec& gate : request.gates) {
    if (gate_for(request, gate.metric, load_point) != nullptr) {
      add_once(names, gate.metric);
    }
  }
  for (const CountedTrials* trials : {&base, &candidate}) {
    for (const TrialRecord* trial : *trials) {
      for (const MetricValue& metric : trial->metrics) {
        if (metric.direction != Direction::kNone) {
          add_once(names, metric.name);
        }
      }
    }
  }
  return names;
}

std::vector<std::string> all_load_points(const CompareRequest& request) {
  std::vector<std::string> points = request.load_points;
  for (const GateSpec& gate : request.gates) {
    for (const std::string& point : gate.load_points) {
      add_once(points, point);
    }
  }
  return points;
}

MetricComparison blank_row(const CompareRequest& request, const std::string& arm,
                           const std::string& load_point, const std::string& metric) {
  MetricComparison row;
  row.metric = metric;
  row.load_point = load_point;
  row.base_arm = request.base_arm;
  row.arm = arm;
  row.confidence_asked = request.confidence;
  row.confounded_with = request.confounded_with;
  const GateSpec* gate = gate_for(request, metric, load_point);
  row.gate = gate != nullptr;
  row.fails_run = gate != nullptr && gate->fails_run;
  row.margin = gate != nullptr ? gate->margin : usual_margin(metric);
  return row;
}

// Everything about one arm against the base.
class ArmComparison {
 public:
  ArmComparison(std::span<const TrialRecord> trials, const CompareRequest& request, std::string arm)
      : trials_(trials), request_(request), arm_(std::move(arm)) {
    for (const std::string& point : all_load_points(request)) {
      points_.push_back({point, counted_trials(trials, request.base_arm, point),
                         counted_trials(trials, arm_, point)});
    }
    paired_ =
        request.confounded_with.empty() && std::ranges::any_of(points_, [](const Point& point) {
          return share_a_block(point.base, point.candidate);
        });
  }

  [[nodiscard]] bool paired() const { return paired_; }
  void add_to(Comparison& comparison) const;

 private:
  struct Point {
    std::string name;
    CountedTrials base;
    CountedTrials candidate;
  };

  [[nodiscard]] Measurement measure_metric(const Point& point, const std::string& metric) const;
  // Why there can be no value at all; empty where both arms have counted trials.
  [[nodiscard]] std::string missing_trials(const Point& point) const;

  std::span<const TrialRecord> trials_;
  const CompareRequest& request_;
  std::string arm_;
  std::vector<Point> points_;
  bool paired_ = false;
};

std::string ArmComparison::missing_trials(const Point& point) const {
  std::vector<std::string> missing;
  for (const auto& [arm, counted] :
       {std::pair(&request_.base_arm, &point.base), std::pair(&arm_, &point.candidate)}) {
    if (counted->empty()) {
      missing.push_back(fmt::format("arm {} has no counted trial at {} ({})", *arm, point.name,
                                    describe_trials(trials_, *arm, point.name)));
    }
  }
  return join(missing, "; ");
}

Measurement ArmComparison::measure_metric(const Point& point, const std::string& metric) const {
  MetricComparison row = blank_row(request_, arm_, point.name, metric);
  std::string missing = missing_trials(point);
  if (!missing.empty()) {
    row.reason = std::move(missing);
    return {std::move(row), std::nullopt, {}};
  }
  const std::uint64_t seed =
      request_.seed ^ fnv1a(fmt::format("{}/{}/{}", arm_, point.name, metric));
  return measure(std::move(row), collect_metric(point.base, point.candidate, metric, paired_),
                 {paired_, request_.alpha, request_.confidence, seed});
}

void ArmComparison::add_to(Comparison& comparison) const {
  std::vector<Measurement> rows;
  for (const Point& point : points_) {
    for (const std::string& metric :
         metrics_at(request_, point.name, point.base, point.candidate)) {
      rows.push_back(measure_metric(point, metric));
    }
    OutputSanity sanity = compare_outputs(point.base, point.candidate);
    sanity.base_arm = request_.base_arm;
    sanity.arm = arm_;
    sanity.load_point = point.name;
    comparison.output_sanity.push_back(std::move(sanity));
  }
  adjust_gates(rows);
  for (Measurement& row : rows) {
    comparison.metrics.push_back(conclude(std::move(row)));
  }
}

}  // namespace

CompareRequest compare_request(const Scenario& scenario) {
  CompareRequest request;
  const auto base = std::ranges::find(scenario.arms, true, &ArmSpec::base);
  for (auto arm = scenario.arms.begin(); arm != scenario.arms.end(); ++arm) {
    const bool is_base = base == scenario.arms.end() ? arm == scenario.arms.begin() : arm == base;
    if (is_base) {
      request.base_arm = arm->name;
    } else {
      request.other_arms.push_back(arm->name);
    }
  }
  for (const LoadPoint& point : scenario.load.points) {
    request.load_points.push_back(point.name);
  }
  request.gates = scenario.gates;
  request.seed = scenario.repeats.seed;
  return request;
}

Comparison compare_arms(std::span<const TrialRecord> trials, const CompareRequest& request) {
  Comparison comparison;
  comparison.simulated = request.simulated;
  comparison.paired = !request.other_arms.empty();
  for (const std::string& arm : request.other_arms) {
    const ArmComparison compared(trials, request, arm);
    compared.add_to(comparison);
    comparison.paired = comparison.paired && compared.paired();
  }
  if (request.other_arms.empty()) {
    for (const std::string& point : all_load_points(request)) {
      for (const std::string& metric : metrics_at(request, point, {}, {})) {
        MetricComparison row = blank_row(request, "", point, metric);
        row.reason =
            fmt::format("only arm '{}' was run: nothing to compare it with", request.base_arm);
        comparison.metrics.push_back(std::move(row));
      }
    }
  }
  return comparison;
}

Outcome gate_outcome(const Comparison& comparison) {
  Outcome outcome = Outcome::kPassed;
  for (const MetricComparison& row : comparison.metrics) {
    if (!row.gate) {
      continue;
    }
    if (row.verdict == Verdict::kNoData || row.verdict == Verdict::kNotComparable) {
      return Outcome::kInfrastructure;
    }
    if (row.fails_run && row.verdict == Verdict::kWorse) {
      outcome = Outcome::kRegressed;
    }
    if (row.fails_run && row.verdict == Verdict::kInconclusive && outcome == Outcome::kPassed) {
      outcome = Outcome::kInconclusive;
    }
  }
  return outcome;
}

double usual_margin(std::string_view metric) {
  if (metric.find("_p99") != std::string_view::npos ||
      metric.find("_max") != std::string_view::npos) {
    return 0.10;
  }
  return metric.starts_with("ttft") ? 0.05 : 0.03;
}

}  // namespace sglexp
