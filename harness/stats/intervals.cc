// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/intervals.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/stats/quantiles.h"
#include "harness/stats/ranks.h"

namespace sglexp {
namespace {

constexpr std::size_t kMostPairs = 4'000'000;  // 32 MB of differences

bool is_confidence(double c) {
  return c > 0 && c < 1;
}

Error invalid(const std::string& what) {
  return {ErrorCode::kInvalidInput, "no interval: " + what};
}

// The median of `values` and the interval that leaves out k - 1 of them at each end.
Shift shift_of(std::vector<double> values, const CutOff& cut, Scale scale) {
  std::ranges::sort(values);
  Shift shift;
  shift.scale = scale;
  const std::size_t mid = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[mid] : values[mid - 1] / 2 + values[mid] / 2;
  shift.estimate = from_scale(median, scale);
  shift.k = static_cast<int>(cut.k);
  shift.attainable_confidence = cut.attainable;
  if (cut.k > 0) {
    shift.interval = Interval{from_scale(values[cut.k - 1], scale),
                              from_scale(values[values.size() - cut.k], scale), cut.achieved};
  }
  return shift;
}

}  // namespace

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  const auto sorted = sorted_sample(values);
  if (!sorted || sorted->empty() || !is_confidence(confidence)) {
    return std::nullopt;
  }
  const CutOff cut = binomial_cut_off(sorted->size(), 1 - confidence);
  if (cut.k == 0) {
    return std::nullopt;
  }
  return Interval{(*sorted)[cut.k - 1], (*sorted)[sorted->size() - cut.k], cut.achieved};
}

Result<Shift> hodges_lehmann(std::span<const double> x, std::span<const double> y,
                             double confidence, Scale scale) {
  if (x.empty() || y.empty()) {
    return invalid("a sample is empty");
  }
  if (!all_finite(x) || !all_finite(y)) {
    return invalid("a value is not finite");
  }
  if (!is_confidence(confidence)) {
    return invalid("the confidence must lie between 0 and 1");
  }
  if (x.size() > kMostPairs / y.size()) {
    return invalid("the samples are too large for all pairwise differences");
  }
  if (scale == Scale::kLog) {
    scale = common_scale({x, y});
  }
  const std::vector<double> base = to_scale(x, scale);
  const std::vector<double> candidate = to_scale(y, scale);
  std::vector<double> differences;
  differences.reserve(base.size() * candidate.size());
  for (const double a : base) {
    for (const double b : candidate) {
      differences.push_back(b - a);
    }
  }
  const CutOff cut = rank_sum_cut_off(x.size(), y.size(), 1 - confidence);
  return shift_of(std::move(differences), cut, scale);
}

Result<Shift> walsh_shift(std::span<const double> differences, Scale scale, double confidence) {
  const std::size_t n = differences.size();
  if (n == 0) {
    return invalid("there are no pairs");
  }
  if (!all_finite(differences)) {
    return invalid("a difference is not finite");
  }
  if (!is_confidence(confidence)) {
    return invalid("the confidence must lie between 0 and 1");
  }
  if (n > 2000) {
    return invalid("too many pairs for all Walsh averages");
  }
  std::vector<double> walsh;
  walsh.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      walsh.push_back(differences[i] / 2 + differences[j] / 2);
    }
  }
  return shift_of(std::move(walsh), signed_rank_cut_off(n, 1 - confidence), scale);
}

}  // namespace sglexp
