// SPDX-License-Identifier: Apache-2.0
// One number for many ratios: for the reader's eye, never for a gate.
#pragma once

#include <optional>
#include <span>

namespace sglexp {

// exp(mean of logarithms) of ratios that are already matched (present on both sides) and turned so
// that all point the same way; print how many of how many were matched beside it.
// Empty for no ratios and where one is not above 0 and finite.
[[nodiscard]] std::optional<double> geomean(std::span<const double> ratios);

}  // namespace sglexp
