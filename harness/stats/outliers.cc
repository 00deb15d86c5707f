// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/outliers.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/quantiles.h"

namespace sglexp {
namespace {

constexpr double kMadToSd = 1.4826;  // 1 / normal_quantile(3/4)

std::vector<double> deviations(std::span<const double> values, double centre) {
  std::vector<double> sizes(values.begin(), values.end());
  std::ranges::transform(sizes, sizes.begin(), [&](double v) { return std::abs(v - centre); });
  return sizes;
}

}  // namespace

std::optional<double> robust_sd(std::span<const double> values) {
  const auto centre = median(values);
  if (!centre) {
    return std::nullopt;
  }
  const auto mad = median(deviations(values, *centre));
  return mad ? std::optional(kMadToSd * *mad) : std::nullopt;
}

std::vector<std::size_t> mad_outliers(std::span<const double> values, double threshold) {
  const auto centre = median(values);
  const auto sd = robust_sd(values);
  std::vector<std::size_t> found;
  if (!centre || !sd) {
    return found;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i] - *centre) > threshold * *sd) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace sglexp
