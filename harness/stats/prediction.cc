// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/stats/normal.h"
#include "harness/stats/outliers.h"

namespace sglexp {
namespace {

// Only gross outliers: a tighter limit cuts honest tails off and makes the band too narrow.
constexpr double kOutlierThreshold = 5;

}  // namespace

std::optional<PredictionInterval> predict_night(std::span<const double> nights,
                                                const PredictionOptions& options) {
  if (!all_finite(nights) || !(options.alpha > 0 && options.alpha < 1)) {
    return std::nullopt;
  }
  const auto latest = nights.last(std::min(nights.size(), options.most_nights));
  PredictionInterval result;
  result.scale = common_scale({latest});
  std::vector<double> z = to_scale(latest, result.scale);
  const auto outliers = mad_outliers(z, kOutlierThreshold);
  for (auto i = outliers.rbegin(); i != outliers.rend(); ++i) {
    z.erase(z.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  result.outliers = outliers.size();
  result.nights = z.size();
  if (z.size() < std::max<std::size_t>(options.least_nights, 2)) {
    return std::nullopt;
  }
  const auto k = static_cast<double>(z.size());
  const double mean = std::accumulate(z.begin(), z.end(), 0.0) / k;
  double squares = 0;
  for (const double v : z) {
    squares += (v - mean) * (v - mean);
  }
  result.sd = std::sqrt(squares / (k - 1));
  const double half =
      student_t_quantile(1 - options.alpha / 2, k - 1) * result.sd * std::sqrt(1 + 1 / k);
  result.centre = from_scale(mean, result.scale);
  result.low = from_scale(mean - half, result.scale);
  result.high = from_scale(mean + half, result.scale);
  return result;
}

}  // namespace sglexp
