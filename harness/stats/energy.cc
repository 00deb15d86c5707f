// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/quantiles.h"

namespace sglexp {
namespace {

// Sum of |a - b| over unordered pairs of one ascending sample.
double pair_distance_sum(std::span<const double> sorted) {
  double sum = 0;
  double prefix = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i] * static_cast<double>(i) - prefix;
    prefix += sorted[i];
  }
  return sum;
}

// The tau with the smallest bracket (below) of one prefix.
struct BestCut {
  double bracket = std::numeric_limits<double>::infinity();
  std::ptrdiff_t tau = -1;

  void offer(double value, std::ptrdiff_t t) {
    if (value < bracket) {
      bracket = value;
      tau = t;
    }
  }
};

// [i] = 1 / i up to n, since a division takes longer than all else in the scan.
std::vector<double> reciprocals(std::size_t n) {
  std::vector<double> result(n + 1, 0.0);
  for (std::size_t i = 1; i <= n; ++i) {
    result[i] = 1 / static_cast<double>(i);
  }
  return result;
}

// Hands the best tau of every prefix to `visit(tau, kappa, q)`, which returns false to stop.
//
// With T(k) the pair distances of the first k values and R(t, k) those of values t .. k-1, the sum
// between the parts is T(k) - T(t) - R(t, k), and so
// Q(t, k) = 2/k * [T(k) - (k-1) * (R(t, k) / (k-t-1) + T(t) / (t-1))].
// The best t of a prefix has the smallest inner bracket. R(., k) follows from R(., k-1) in one pass
// that adds the distances to the newest value. The pass takes two new values at once: each running
// sum waits for its own last addition, so two of them cost hardly more than one.
template <typename Visit>
void scan_prefixes(std::span<const double> series, std::size_t min_segment, Visit visit) {
  const double* z = series.data();
  const auto n = static_cast<std::ptrdiff_t>(series.size());
  const auto least = static_cast<std::ptrdiff_t>(std::max<std::size_t>(min_segment, 2));
  std::vector<double> right_sums(series.size(), 0.0);
  std::vector<double> left_terms(series.size() + 1, std::numeric_limits<double>::infinity());
  const std::vector<double> all_reciprocals = reciprocals(series.size());
  double* right = right_sums.data();  // R(t, k)
  double* left = left_terms.data();   // T(t) / (t-1); infinite rules a too short left part out
  const double* inverse = all_reciprocals.data();
  double all = 0;  // T(k)
  const auto finish = [&](std::ptrdiff_t k, double to_newest, const BestCut& best) {
    const auto dk = static_cast<double>(k);
    all += to_newest;
    if (k >= least) {
      left[k] = all / (dk - 1);
    }
    return best.tau < 0 || visit(static_cast<std::size_t>(best.tau), static_cast<std::size_t>(k),
                                 2 / dk * (all - (dk - 1) * best.bracket));
  };
  for (std::ptrdiff_t k = 0; k < n; k += 2) {
    const double a = z[k];
    const double b = z[std::min(k + 1, n - 1)];
    BestCut cut_a;
    BestCut cut_b;
    double to_a = 0;
    double to_b = 0;
    const std::ptrdiff_t shortest = k + 2 - least;  // largest t that prefix k + 2 may be cut at
    std::ptrdiff_t t = k;
    for (; t >= std::max<std::ptrdiff_t>(shortest, 0); --t) {
      to_a += std::abs(z[t] - a);
      to_b += std::abs(z[t] - b);
      right[t] += to_a + to_b;
    }
    if (shortest >= 0) {
      cut_b.offer(right[shortest] * inverse[least - 1] + left[shortest], shortest);
    }
    for (; t >= 0; --t) {
      to_a += std::abs(z[t] - a);
      to_b += std::abs(z[t] - b);
      const double right_a = right[t] + to_a;
      const double right_b = right_a + to_b;
      right[t] = right_b;
      cut_a.offer(right_a * inverse[k - t] + left[t], t);
      cut_b.offer(right_b * inverse[k + 1 - t] + left[t], t);
    }
    if (!finish(k + 1, to_a, cut_a) || (k + 1 < n && !finish(k + 2, to_b, cut_b))) {
      return;
    }
  }
}

}  // namespace

std::optional<EnergyStatistics> energy_statistics(std::span<const double> x,
                                                  std::span<const double> y) {
  auto sorted_x = sorted_sample(x);
  auto sorted_y = sorted_sample(y);
  if (!sorted_x || !sorted_y || x.empty() || y.empty()) {
    return std::nullopt;
  }
  const auto m = static_cast<double>(x.size());
  const auto n = static_cast<double>(y.size());
  const double within_x = pair_distance_sum(*sorted_x);
  const double within_y = pair_distance_sum(*sorted_y);
  std::vector<double> both;
  std::ranges::merge(*sorted_x, *sorted_y, std::back_inserter(both));
  const double between = (pair_distance_sum(both) - within_x - within_y) / (m * n);
  EnergyStatistics result;
  result.e = 2 * between - 2 * within_x / (m * m) - 2 * within_y / (n * n);
  result.t = m * n / (m + n) * result.e;
  result.h = between > 0 ? result.e / (2 * between) : 0;
  return result;
}

std::optional<EnergySplit> best_energy_split(std::span<const double> series,
                                             std::size_t min_segment) {
  std::optional<EnergySplit> best;
  scan_prefixes(series, min_segment, [&](std::size_t tau, std::size_t kappa, double q) {
    if (!best || q > best->q) {
      best = EnergySplit{tau, kappa, q};
    }
    return true;
  });
  return best;
}

bool energy_split_reaches(std::span<const double> series, std::size_t min_segment,
                          double threshold) {
  bool reached = false;
  scan_prefixes(series, min_segment, [&](std::size_t, std::size_t, double q) {
    reached = q >= threshold;
    return !reached;
  });
  return reached;
}

}  // namespace sglexp
