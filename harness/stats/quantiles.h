// SPDX-License-Identifier: Apache-2.0
// Percentiles of a sample, by three definitions (Hyndman & Fan 1996). Latency summaries use
// kLinear, counting against a service level uses kNearestRank; the definition is written beside the
// number. Percentiles are never averaged over trials: take the median of the trials' percentiles.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sglexp {

// A percentage as whole parts per million, so that ranks are computed in integers: 7 % of 100 is
// rank 7, which 0.07 * 100 = 7.000000000000001 is not.
struct Percentile {
  std::int64_t ppm = 0;  // 0 .. 1'000'000
};
// Rounded to four decimals of a percent: percentile(99.9).
[[nodiscard]] inline Percentile percentile(double percent) {
  return {std::llround(percent * 10'000)};
}

enum class QuantileMethod {
  kLinear,          // type 7: between x_(floor h) and the next, h = (n-1)p; numpy's and R's default
  kNearestRank,     // x_(ceil(p n)), at least the first: always an observed value
  kMedianUnbiased,  // type 8: h = (n + 1/3)p + 1/3
};
[[nodiscard]] std::string_view quantile_method_name(QuantileMethod method);

// The values in ascending order; empty where one of them is not finite.
[[nodiscard]] std::optional<std::vector<double>> sorted_sample(std::span<const double> values);

// `sorted` is what sorted_sample returned. Empty for an empty sample or a p outside 0 .. 100 %.
[[nodiscard]] std::optional<double> quantile(std::span<const double> sorted, Percentile p,
                                             QuantileMethod method = QuantileMethod::kLinear);

// Whether n samples say anything about p: at least one is expected beyond it (p99 from n = 100,
// p99.9 from n = 1000).
[[nodiscard]] bool quantile_supported(Percentile p, std::size_t n);

// Of values in any order. Empty for an empty sample and where a value is not finite.
[[nodiscard]] std::optional<double> median(std::span<const double> values);
// The same without a copy, O(n): reorders `values`, which must be finite and not empty.
[[nodiscard]] double median_reordering(std::vector<double>& values);

}  // namespace sglexp
