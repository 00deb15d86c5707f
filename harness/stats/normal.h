// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution, and Student's t for prediction intervals.
#pragma once

namespace sglexp {

// P(Z <= z), accurate in both tails (through erfc, not 1 - x).
[[nodiscard]] double normal_cdf(double z);
// The z with P(Z <= z) = p; p must lie inside (0, 1).
[[nodiscard]] double normal_quantile(double p);
// The t with P(T <= t) = p for `degrees` > 0 of freedom; p must lie inside (0, 1).
[[nodiscard]] double student_t_quantile(double p, double degrees);

}  // namespace sglexp
