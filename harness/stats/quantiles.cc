// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/quantiles.h"

#include <algorithm>
#include <cassert>

namespace sglexp {
namespace {

constexpr std::int64_t kOne = 1'000'000;

// The value at the 0-based position numerator / denominator, between its neighbours, clamped.
double interpolate(std::span<const double> sorted, std::int64_t numerator,
                   std::int64_t denominator) {
  const auto last = static_cast<std::int64_t>(sorted.size()) - 1;
  if (numerator <= 0) {
    return sorted.front();
  }
  const std::int64_t below = numerator / denominator;
  if (below >= last) {
    return sorted.back();
  }
  const double fraction =
      static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
  const auto i = static_cast<std::size_t>(below);
  // Not lo + f * (hi - lo): the difference of two huge values may overflow.
  return fraction == 0 ? sorted[i] : (1 - fraction) * sorted[i] + fraction * sorted[i + 1];
}

}  // namespace

std::string_view quantile_method_name(QuantileMethod method) {
  switch (method) {
    case QuantileMethod::kLinear:
      return "linear";
    case QuantileMethod::kNearestRank:
      return "nearest_rank";
    case QuantileMethod::kMedianUnbiased:
      return "median_unbiased";
  }
  return "unknown";
}

std::optional<std::vector<double>> sorted_sample(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  if (!std::ranges::all_of(sorted, [](double v) { return std::isfinite(v); })) {
    return std::nullopt;
  }
  std::ranges::sort(sorted);
  return sorted;
}

std::optional<double> quantile(std::span<const double> sorted, Percentile p,
                               QuantileMethod method) {
  if (sorted.empty() || p.ppm < 0 || p.ppm > kOne) {
    return std::nullopt;
  }
  const auto n = static_cast<std::int64_t>(sorted.size());
  switch (method) {
    case QuantileMethod::kLinear:
      return interpolate(sorted, (n - 1) * p.ppm, kOne);
    case QuantileMethod::kNearestRank: {
      const std::int64_t rank = std::max<std::int64_t>(1, (n * p.ppm + kOne - 1) / kOne);
      return sorted[static_cast<std::size_t>(rank - 1)];
    }
    case QuantileMethod::kMedianUnbiased:
      // 1-based h = ((3n + 1)p + 1) / 3; the position counts from 0.
      return interpolate(sorted, (3 * n + 1) * p.ppm + kOne - 3 * kOne, 3 * kOne);
  }
  return std::nullopt;
}

bool quantile_supported(Percentile p, std::size_t n) {
  return static_cast<std::int64_t>(n) * (kOne - p.ppm) >= kOne;
}

std::optional<double> median(std::span<const double> values) {
  if (values.empty() || !std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
    return std::nullopt;
  }
  std::vector<double> copy(values.begin(), values.end());
  return median_reordering(copy);
}

double median_reordering(std::vector<double>& values) {
  assert(!values.empty());
  const auto mid = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, mid);
  if (values.size() % 2 == 1) {
    return *mid;
  }
  return *std::max_element(values.begin(), mid) / 2 + *mid / 2;
}

}  // namespace sglexp
