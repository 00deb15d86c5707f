// SPDX-License-Identifier: Apache-2.0
// Distribution-free confidence intervals: ends are order statistics, so the confidence comes in
// steps. What was achieved is always stored and printed; an interval that cannot reach the asked
// confidence is absent rather than silently narrower.
#pragma once

#include <optional>
#include <span>

#include "harness/base/result.h"
#include "harness/stats/scale.h"

namespace sglexp {

struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;  // achieved, at least what was asked
};

// For the median of the population: [x_(j), x_(n+1-j)] with j from Bin(n, 1/2). Absent below n = 6
// at 95 %, for an empty sample and for values that are not finite.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const double> values,
                                                      double confidence = 0.95);

// How far y (or b) lies from x (or a). On kLog everything is a ratio, on kLinear a difference.
struct Shift {
  Scale scale = Scale::kLog;
  double estimate = 1;
  std::optional<Interval> interval;  // absent: not attainable
  int k = 0;                         // differences cut off at each end; 0: not attainable
  double attainable_confidence = 0;  // the best that these sample sizes allow
};

// Hodges & Lehmann 1963: the median of all y_j - x_i, with the Mann-Whitney interval (null without
// ties). Falls back to kLinear where a value is 0 or below. kInvalidInput for an empty sample, a
// value that is not finite, a confidence outside (0, 1) or more than four million pairs.
[[nodiscard]] Result<Shift> hodges_lehmann(std::span<const double> x, std::span<const double> y,
                                           double confidence = 0.95, Scale scale = Scale::kLog);

// The median of the Walsh averages (d_i + d_j) / 2, i <= j, of paired differences that are already
// on `scale`, with the signed-rank interval. Errors as above (here for more than 2000 pairs).
[[nodiscard]] Result<Shift> walsh_shift(std::span<const double> differences, Scale scale,
                                        double confidence = 0.95);

}  // namespace sglexp
