// SPDX-License-Identifier: Apache-2.0
// Energy distance (Szekely & Rizzo): how different two samples are as distributions, spread and
// shape included, where a rank test sees only location.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace sglexp {

struct EnergyStatistics {
  double e = 0;  // 2 E|X-Y| - E|X-X'| - E|Y-Y'|, means over all pairs, each with itself too
  double t = 0;  // m n / (m + n) * e
  double h = 0;  // e / (2 E|X-Y|), 0 .. 1
};
// Empty where a sample is empty or a value is not finite. O((m + n) log(m + n)).
[[nodiscard]] std::optional<EnergyStatistics> energy_statistics(std::span<const double> x,
                                                                std::span<const double> y);

// The best way to cut a prefix of a series in two. Q(tau, kappa) of the first kappa values cut at
// tau is tau (kappa - tau) / kappa * [2 mean|between| - mean|within left| - mean|within right|],
// means over distinct pairs (Matteson & James 2014). Scanning kappa as well as tau finds a level
// that later returns to the old one.
struct EnergySplit {
  std::size_t tau = 0;    // first index of the right part
  std::size_t kappa = 0;  // one past its last
  double q = 0;
};
// Both parts have at least `min_segment` (>= 2) values. Empty where the series is too short.
// O(n^2) time, O(n) memory.
[[nodiscard]] std::optional<EnergySplit> best_energy_split(std::span<const double> series,
                                                           std::size_t min_segment);
// Whether some split reaches `threshold`: the same scan, but stops at the first that does.
[[nodiscard]] bool energy_split_reaches(std::span<const double> series, std::size_t min_segment,
                                        double threshold);

}  // namespace sglexp
