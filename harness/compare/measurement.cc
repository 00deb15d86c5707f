// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/measurement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/stats/multiplicity.h"
#include "harness/stats/paired.h"
#include "harness/stats/quantiles.h"
#include "harness/stats/rank_test.h"
#include "harness/stats/sample_size.h"
#include "harness/stats/scale.h"

namespace sglexp {
namespace {

// The comparison on one scale, candidate relative to base, not yet turned by direction.
struct Numbers {
  Scale scale = Scale::kLog;
  double p = 1;
  double estimate = 0;  // shift on `scale`
  std::optional<Interval> interval95;
  std::optional<Interval> interval90;
  std::optional<double> sd;
  bool identical = false;
};

// Ratios back to logarithms: the statistics report shifts as their reader sees them.
double on_scale(double shift, Scale scale) {
  return scale == Scale::kLog ? std::log(shift) : shift;
}

std::optional<Interval> on_scale(std::optional<Interval> interval, Scale scale) {
  if (interval) {
    interval->low = on_scale(interval->low, scale);
    interval->high = on_scale(interval->high, scale);
  }
  return interval;
}

constexpr double kEquivalence = 0.90;  // two one-sided tests at 5 %

void set_shifts(Numbers& numbers, const Result<Shift>& wide, const Result<Shift>& narrow) {
  if (wide.ok() && narrow.ok()) {
    numbers.estimate = on_scale(wide->estimate, wide->scale);
    numbers.interval95 = on_scale(wide->interval, wide->scale);
    numbers.interval90 = on_scale(narrow->interval, narrow->scale);
  }
}

Numbers paired_numbers(const MetricSample& sample, const MeasureOptions& options) {
  const auto pairs = paired_differences(sample.base, sample.candidate);
  Numbers numbers;
  if (!pairs) {
    return numbers;
  }
  numbers.scale = pairs->scale;
  if (const auto test = sign_flip_test(pairs->d, options.seed)) {
    numbers.p = test->p_two_sided;
  }
  set_shifts(numbers, walsh_shift(pairs->d, pairs->scale, options.confidence),
             walsh_shift(pairs->d, pairs->scale, kEquivalence));
  numbers.sd = sample_sd(pairs->d);
  numbers.identical = sample.base == sample.candidate;
  return numbers;
}

Numbers unpaired_numbers(const MetricSample& sample, const MeasureOptions& options) {
  Numbers numbers;
  numbers.scale = common_scale({sample.base, sample.candidate});
  if (const auto test = mann_whitney(sample.base, sample.candidate)) {
    numbers.p = test->p_two_sided;
  }
  set_shifts(numbers, hodges_lehmann(sample.base, sample.candidate, options.confidence),
             hodges_lehmann(sample.base, sample.candidate, kEquivalence));
  numbers.sd =
      pooled_sd(to_scale(sample.base, numbers.scale), to_scale(sample.candidate, numbers.scale));
  const double first = sample.base.front();
  const auto same = [&](double v) { return v == first; };
  numbers.identical =
      std::ranges::all_of(sample.base, same) && std::ranges::all_of(sample.candidate, same);
  return numbers;
}

// A shift as candidate / base: exp of a log-ratio, or 1 + a share of the base's median.
double as_ratio(double shift, Scale scale, double unit) {
  return scale == Scale::kLog ? std::exp(shift) : 1 + shift / unit;
}

void fill_row(MetricComparison& row, const Numbers& numbers, double unit) {
  row.p = numbers.p;
  const bool has_ratio = numbers.scale == Scale::kLog || unit > 0;
  if (has_ratio) {
    row.ratio = as_ratio(numbers.estimate, numbers.scale, unit);
  }
  if (numbers.interval95) {
    row.confidence_achieved = numbers.interval95->confidence;
    if (has_ratio) {
      row.ci_low = as_ratio(numbers.interval95->low, numbers.scale, unit);
      row.ci_high = as_ratio(numbers.interval95->high, numbers.scale, unit);
    }
  }
}

std::optional<Interval> turned(const std::optional<Interval>& interval, double factor) {
  if (!interval) {
    return std::nullopt;
  }
  const double a = interval->low * factor;
  const double b = interval->high * factor;
  return Interval{std::min(a, b), std::max(a, b), interval->confidence};
}

Evidence evidence_of(const MetricComparison& row, const Numbers& numbers, double unit,
                     const MeasureOptions& options) {
  const bool linear = numbers.scale == Scale::kLinear;
  // Without a positive base a share of it means nothing: the metric's own unit, and no margin.
  const bool relative = !linear || unit > 0;
  const double size = linear && relative ? 1 / unit : 1;
  const double turn = row.direction == Direction::kHigherIsBetter ? -size : size;
  Evidence evidence;
  evidence.paired = options.paired;
  evidence.n = std::min(row.n_base, row.n_candidate);
  evidence.alpha = options.alpha;
  evidence.p = numbers.p;
  evidence.effect = numbers.estimate * turn;
  evidence.identical = numbers.identical;
  evidence.interval95 = turned(numbers.interval95, turn);
  evidence.interval90 = turned(numbers.interval90, turn);
  evidence.margin = !relative ? 0 : linear ? row.margin : std::log1p(row.margin);
  if (numbers.sd && relative) {
    evidence.sd = *numbers.sd * size;
  }
  return evidence;
}

// kNoData or kNotComparable with the reason; empty where there is something to compare.
std::optional<std::pair<Verdict, std::string>> obstacle(const MetricComparison& row,
                                                        const MetricSample& sample, bool paired) {
  if (!sample.mismatch.empty()) {
    return std::pair(Verdict::kNotComparable, sample.mismatch);
  }
  if (!sample.found) {
    return std::pair(Verdict::kNoData, fmt::format("no trial reports '{}'", row.metric));
  }
  if (sample.base.empty() || sample.candidate.empty()) {
    return std::pair(
        Verdict::kNoData,
        sample.missing.empty()
            ? std::string("no block has counted trials of both arms")
            : fmt::format("{} has no value in {}, {}", row.metric,
                          paired ? "both arms of any block" : "one of the arms", sample.missing));
  }
  if (row.direction == Direction::kNone) {
    return std::pair(Verdict::kNotComparable,
                     std::string("the metric has no direction: neither side of it is worse"));
  }
  return std::nullopt;
}

std::vector<std::string> notes_of(const MetricComparison& row, const MetricSample& sample,
                                  const Numbers& numbers, double unit) {
  std::vector<std::string> notes;
  if (!row.confounded_with.empty()) {
    notes.push_back(fmt::format("confounded with {}", row.confounded_with));
  }
  if (sample.blocks_left_out > 0) {
    notes.push_back(fmt::format("{} block{} left out: one arm has no counted value",
                                sample.blocks_left_out, sample.blocks_left_out == 1 ? "" : "s"));
  }
  if (numbers.scale == Scale::kLinear) {
    notes.emplace_back(unit > 0 ? "linear: a value is 0 or below"
                                : "linear: a value is 0 or below, and no ratio to the base exists");
  }
  if (!numbers.interval95) {
    notes.push_back(
        fmt::format("no {:.3g} % interval from so few runs", 100 * row.confidence_asked));
  }
  return notes;
}

}  // namespace

Measurement measure(MetricComparison row, const MetricSample& sample,
                    const MeasureOptions& options) {
  row.unit = sample.unit;
  row.direction = sample.direction;
  row.test = options.paired ? "sign_flip" : "mann_whitney";
  row.n_base = static_cast<int>(sample.base.size());
  row.n_candidate = static_cast<int>(sample.candidate.size());
  row.base = median(sample.base);
  row.candidate = median(sample.candidate);
  if (auto found = obstacle(row, sample, options.paired)) {
    row.verdict = found->first;
    row.reason = std::move(found->second);
    return {std::move(row), std::nullopt, {}};
  }
  const Numbers numbers =
      options.paired ? paired_numbers(sample, options) : unpaired_numbers(sample, options);
  const double unit = row.base.value_or(0);
  fill_row(row, numbers, unit);
  if (const auto ranks = mann_whitney(sample.base, sample.candidate)) {
    row.a12 = ranks->a12;
  }
  Evidence evidence = evidence_of(row, numbers, unit, options);
  auto notes = notes_of(row, sample, numbers, unit);
  return {std::move(row), evidence, std::move(notes)};
}

void adjust_gates(std::vector<Measurement>& rows) {
  std::vector<Measurement*> family;
  std::vector<double> p;
  for (Measurement& m : rows) {
    if (m.row.gate && m.evidence && m.evidence->n >= least_runs(m.evidence->paired)) {
      family.push_back(&m);
      p.push_back(m.evidence->p);
    }
  }
  const auto adjusted = holm(p);
  for (std::size_t i = 0; adjusted && i < family.size(); ++i) {
    family[i]->row.p_adjusted = (*adjusted)[i];
    family[i]->evidence->p = (*adjusted)[i];
  }
  // Gates below the floor will be members once they have more runs: advice allows for them too.
  const auto tests = std::ranges::count_if(
      rows, [](const Measurement& m) { return m.row.gate && m.evidence.has_value(); });
  for (Measurement& m : rows) {
    if (m.row.gate && m.evidence) {
      m.evidence->tests = static_cast<int>(tests);
    }
  }
}

MetricComparison conclude(Measurement measurement) {
  MetricComparison row = std::move(measurement.row);
  if (!measurement.evidence) {
    return row;
  }
  Judgement judgement = judge(*measurement.evidence);
  row.verdict = judgement.verdict;
  row.more_runs = judgement.more_runs;
  std::vector<std::string> parts = std::move(measurement.notes);
  if (!judgement.reason.empty()) {
    parts.insert(parts.begin(), std::move(judgement.reason));
  }
  row.reason = join(parts, "; ");
  return row;
}

}  // namespace sglexp
