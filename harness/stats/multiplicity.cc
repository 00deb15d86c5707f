// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/multiplicity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace sglexp {
namespace {

bool all_probabilities(std::span<const double> p) {
  return std::ranges::all_of(p, [](double v) { return v >= 0 && v <= 1; });
}

std::vector<std::size_t> ascending_order(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  return order;
}

}  // namespace

std::optional<std::vector<double>> holm(std::span<const double> p) {
  if (!all_probabilities(p)) {
    return std::nullopt;
  }
  const auto order = ascending_order(p);
  std::vector<double> adjusted(p.size());
  double running = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    running = std::max(running, std::min(1.0, left * p[order[i]]));
    adjusted[order[i]] = running;
  }
  return adjusted;
}

std::optional<std::vector<double>> benjamini_hochberg(std::span<const double> p) {
  if (!all_probabilities(p)) {
    return std::nullopt;
  }
  const auto order = ascending_order(p);
  const auto m = static_cast<double>(p.size());
  std::vector<double> adjusted(p.size());
  double running = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    running = std::min(running, m * p[order[i]] / static_cast<double>(i + 1));
    adjusted[order[i]] = running;
  }
  return adjusted;
}

}  // namespace sglexp
