// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/scale.h"

#include <algorithm>
#include <cmath>

namespace sglexp {

Scale common_scale(std::initializer_list<std::span<const double>> samples) {
  const bool positive = std::ranges::all_of(samples, [](std::span<const double> sample) {
    return std::ranges::all_of(sample, [](double v) { return v > 0; });
  });
  return positive ? Scale::kLog : Scale::kLinear;
}

std::vector<double> to_scale(std::span<const double> values, Scale scale) {
  std::vector<double> scaled(values.begin(), values.end());
  if (scale == Scale::kLog) {
    std::ranges::transform(scaled, scaled.begin(), [](double v) { return std::log(v); });
  }
  return scaled;
}

double from_scale(double shift, Scale scale) {
  return scale == Scale::kLog ? std::exp(shift) : shift;
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace sglexp
