// SPDX-License-Identifier: Apache-2.0
// Levels are compared on natural logarithms, where a shift is a ratio. Where a value is 0 or below
// that is impossible, and the comparison falls back to the linear scale, where a shift is a
// difference in the metric's own unit.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

namespace sglexp {

enum class Scale { kLog, kLinear };

// kLog where every value of every sample is above 0.
[[nodiscard]] Scale common_scale(std::initializer_list<std::span<const double>> samples);
[[nodiscard]] std::vector<double> to_scale(std::span<const double> values, Scale scale);
// A shift as the reader sees it: a ratio (kLog) or a difference (kLinear).
[[nodiscard]] double from_scale(double shift, Scale scale);

[[nodiscard]] bool all_finite(std::span<const double> values);

}  // namespace sglexp
