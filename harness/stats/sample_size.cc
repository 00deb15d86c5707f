// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/sample_size.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "harness/stats/normal.h"
#include "harness/stats/scale.h"

namespace sglexp {
namespace {

constexpr double kPairedInflation = 1.05;
constexpr double kMostSensible = 1e6;  // advice beyond this is the same: not resolvable

bool sensible(const PowerOptions& o) {
  return o.alpha > 0 && o.alpha < 1 && o.power > 0 && o.power < 1 && o.tests >= 1;
}

double per_test(const PowerOptions& o) {
  return o.alpha / std::max(1, o.tests);
}

// z_{1-a/2} + z_{power}
double z_sum(const PowerOptions& o) {
  return normal_quantile(o.power) - normal_quantile(per_test(o) / 2);
}

SampleAdvice advice(double wanted, int floor, const PowerOptions& o) {
  const int n = static_cast<int>(std::ceil(std::min(wanted, kMostSensible)));
  SampleAdvice result;
  result.n = std::max(n, floor);
  result.resolvable = result.n <= o.most;
  return result;
}

double sum_of_squares(std::span<const double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double v : values) {
    squares += (v - mean) * (v - mean);
  }
  return squares;
}

}  // namespace

int unpaired_floor(const PowerOptions& options) {
  double orders = 2;  // C(2n, n)
  int n = 1;
  while (2 / orders > per_test(options)) {
    ++n;
    orders *= 2.0 * (2.0 * n - 1) / n;
  }
  return n;
}

int paired_floor(const PowerOptions& options) {
  int n = 1;
  while (2 * std::exp2(-n) > per_test(options)) {
    ++n;
  }
  return n;
}

std::optional<SampleAdvice> unpaired_sample_size(double sd, double margin,
                                                 const PowerOptions& options) {
  if (!(sd >= 0) || !(margin > 0) || !std::isfinite(margin) || !sensible(options)) {
    return std::nullopt;
  }
  // P(candidate > base) where the levels differ by the margin.
  const double q = sd > 0 ? normal_cdf(std::log1p(margin) / (sd * std::numbers::sqrt2)) : 1;
  const double z = z_sum(options);
  const double both_arms = z * z / (12 * 0.25 * (q - 0.5) * (q - 0.5));
  return advice(both_arms / 2, unpaired_floor(options), options);
}

std::optional<SampleAdvice> paired_sample_size(double sd, double margin,
                                               const PowerOptions& options) {
  if (!(sd >= 0) || !(margin > 0) || !std::isfinite(margin) || !sensible(options)) {
    return std::nullopt;
  }
  const double z = z_sum(options) * sd / std::log1p(margin);
  return advice(z * z * kPairedInflation, paired_floor(options), options);
}

std::optional<double> unpaired_detectable(int n, double sd, const PowerOptions& options) {
  if (!sensible(options) || !(sd >= 0) || n < unpaired_floor(options)) {
    return std::nullopt;
  }
  const double q = 0.5 + z_sum(options) / std::sqrt(12 * 0.25 * 2 * n);
  if (!(q < 1)) {
    return std::nullopt;
  }
  return std::expm1(sd * std::numbers::sqrt2 * normal_quantile(q));
}

std::optional<double> paired_detectable(int n, double sd, const PowerOptions& options) {
  if (!sensible(options) || !(sd >= 0) || n < paired_floor(options)) {
    return std::nullopt;
  }
  return std::expm1(z_sum(options) * sd * std::sqrt(kPairedInflation / n));
}

std::optional<double> pooled_sd(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty() || x.size() + y.size() < 3 || !all_finite(x) || !all_finite(y)) {
    return std::nullopt;
  }
  return std::sqrt((sum_of_squares(x) + sum_of_squares(y)) /
                   static_cast<double>(x.size() + y.size() - 2));
}

std::optional<double> sample_sd(std::span<const double> values) {
  if (values.size() < 2 || !all_finite(values)) {
    return std::nullopt;
  }
  return std::sqrt(sum_of_squares(values) / static_cast<double>(values.size() - 1));
}

}  // namespace sglexp
