// SPDX-License-Identifier: Apache-2.0
// How many trials or blocks a question needs. All functions work on natural logarithms: `sd` is the
// standard deviation of ln(value) (about the coefficient of variation), or of the block log-ratios
// where paired; `margin` is relative (0.03 = 3 %) and becomes ln(1 + margin).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace sglexp {

struct PowerOptions {
  double alpha = 0.05;
  double power = 0.8;
  int tests = 1;  // gates in the family: Holm's first step asks for alpha / tests
  int most = 20;  // advice beyond this is "not resolvable at this noise"
};

struct SampleAdvice {
  int n = 0;               // per arm, or pairs
  bool resolvable = true;  // n <= most
};

// Smallest n per arm at which the exact rank test can reach alpha / tests: 2 / C(2n, n) <= it.
[[nodiscard]] int unpaired_floor(const PowerOptions& options = {});
// Smallest number of pairs at which the sign-flip test can: 2 / 2^n <= alpha / tests.
[[nodiscard]] int paired_floor(const PowerOptions& options = {});

// Noether 1987, conservative. Empty where sd < 0, margin <= 0, or a parameter makes no sense.
[[nodiscard]] std::optional<SampleAdvice> unpaired_sample_size(double sd, double margin,
                                                               const PowerOptions& options = {});
// Normal approximation with 5 % for the rank-type test. Empty as above.
[[nodiscard]] std::optional<SampleAdvice> paired_sample_size(double sd, double margin,
                                                             const PowerOptions& options = {});

// The other way round: the relative effect that n would show with the asked power, raised to
// nothing smaller than 0. Empty where n is below the floor or can show no effect at this noise.
[[nodiscard]] std::optional<double> unpaired_detectable(int n, double sd,
                                                        const PowerOptions& options = {});
[[nodiscard]] std::optional<double> paired_detectable(int n, double sd,
                                                      const PowerOptions& options = {});

// Pooled standard deviation of two arms' values that are already on the common scale (n - 1 each).
// Empty below 3 values together or without one spare degree of freedom.
[[nodiscard]] std::optional<double> pooled_sd(std::span<const double> x, std::span<const double> y);
// Of one sample; empty below 2 values.
[[nodiscard]] std::optional<double> sample_sd(std::span<const double> values);

}  // namespace sglexp
