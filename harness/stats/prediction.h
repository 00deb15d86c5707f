// SPDX-License-Identifier: Apache-2.0
// Where the next night is expected to lie, from the nights before it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/stats/scale.h"

namespace sglexp {

struct PredictionOptions {
  double alpha = 0.01;
  std::size_t most_nights = 30;  // the latest ones
  std::size_t least_nights = 8;
};

struct PredictionInterval {
  Scale scale = Scale::kLog;
  double centre = 0;  // geometric mean (kLog) or mean of the nights used
  double low = 0;
  double high = 0;
  double sd = 0;           // between nights, on `scale`: on kLog about the coefficient of variation
  std::size_t nights = 0;  // used
  std::size_t outliers = 0;  // left out
};

// mean +- t_{1-alpha/2, k-1} * s * sqrt(1 + 1/k) of the logarithms, s with k - 1. `nights` are
// nightly medians since the last accepted change point, oldest first; outliers among the latest
// (5 robust standard deviations) are left out. Empty below least_nights and for values that are
// not finite.
[[nodiscard]] std::optional<PredictionInterval> predict_night(
    std::span<const double> nights, const PredictionOptions& options = {});

}  // namespace sglexp
