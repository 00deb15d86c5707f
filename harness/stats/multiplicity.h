// SPDX-License-Identifier: Apache-2.0
// Several tests at once: p-values adjusted for their number.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace sglexp {

// Holm 1979, controls the chance of any false alarm in the family:
// adj_(i) = max over j <= i of min(1, (m - j + 1) p_(j)). Input order; pass only testable members.
// Empty where a p is outside 0 .. 1 or not a number.
[[nodiscard]] std::optional<std::vector<double>> holm(std::span<const double> p);

// Benjamini & Hochberg 1995, controls the share of false alarms among those raised:
// adj_(i) = min over j >= i of min(1, m p_(j) / j). Otherwise as holm().
[[nodiscard]] std::optional<std::vector<double>> benjamini_hochberg(std::span<const double> p);

}  // namespace sglexp
