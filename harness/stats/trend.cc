// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/normal.h"
#include "harness/stats/quantiles.h"

namespace sglexp {
namespace {

// Sum over tie groups of t (t-1) (2t+5).
double tie_variance(std::span<const double> sorted) {
  double sum = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    const auto t = static_cast<double>(end - begin);
    sum += t * (t - 1) * (2 * t + 5);
    begin = end;
  }
  return sum;
}

}  // namespace

std::optional<Trend> trend(std::span<const double> series) {
  const auto sorted = sorted_sample(series);
  if (!sorted || series.size() < 4) {
    return std::nullopt;
  }
  Trend result;
  std::vector<double> slopes;
  slopes.reserve(series.size() * (series.size() - 1) / 2);
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t j = i + 1; j < series.size(); ++j) {
      const double rise = series[j] - series[i];
      slopes.push_back(rise / static_cast<double>(j - i));
      result.s += rise > 0 ? 1 : rise < 0 ? -1 : 0;
    }
  }
  result.slope = median_reordering(slopes);
  std::vector<double> offsets;
  for (std::size_t i = 0; i < series.size(); ++i) {
    offsets.push_back(series[i] - result.slope * static_cast<double>(i));
  }
  result.intercept = median_reordering(offsets);
  const auto n = static_cast<double>(series.size());
  const double variance = (n * (n - 1) * (2 * n + 5) - tie_variance(*sorted)) / 18;
  if (result.s != 0 && variance > 0) {
    const double z = (std::abs(result.s) - 1) / std::sqrt(variance);
    result.p = std::max(std::numeric_limits<double>::min(), 2 * normal_cdf(-z));
  }
  return result;
}

}  // namespace sglexp
