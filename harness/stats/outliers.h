// SPDX-License-Identifier: Apache-2.0
// Values far from the rest: listed for the reader, left out of prediction bands, never dropped from
// a test (ranks and medians bear them).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sglexp {

// Spread by the median absolute deviation, scaled to the standard deviation of a normal sample.
// Empty for an empty sample and for values that are not finite.
[[nodiscard]] std::optional<double> robust_sd(std::span<const double> values);

// Indices, ascending, of values more than `threshold` robust standard deviations from the median.
// Where more than half of the values are equal, every other value is listed.
[[nodiscard]] std::vector<std::size_t> mad_outliers(std::span<const double> values,
                                                    double threshold = 3.5);

}  // namespace sglexp
