// SPDX-License-Identifier: Apache-2.0
// A bootstrap interval for the ratio of two medians: for tables of percentiles, never for gates
// (with five values an arm the median has too few atoms).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace sglexp {

struct BootstrapOptions {
  int resamples = 9'999;
  double confidence = 0.95;
};

struct BootstrapRatio {
  double ratio = 1;  // median(y) / median(x)
  double low = 1;
  double high = 1;
  bool bca = true;  // false: plain percentile interval, since BCa is not defined here
};

// Resamples each sample on its own. BCa after Efron 1987: bias z0 from the share of resamples below
// the estimate, acceleration from the jackknife. Falls back to the percentile interval where either
// is not finite or a sample has fewer than 8 values. Equal seeds give equal intervals; derive the
// seed from run and metric. Empty for an empty sample, a value that is not above 0 and finite,
// fewer than 99 resamples, or a confidence outside (0, 1). O(resamples * (m + n)).
[[nodiscard]] std::optional<BootstrapRatio> bootstrap_median_ratio(
    std::span<const double> x, std::span<const double> y, std::uint64_t seed,
    const BootstrapOptions& options = {});

}  // namespace sglexp
