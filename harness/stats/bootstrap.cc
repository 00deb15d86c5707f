// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/base/random.h"
#include "harness/stats/normal.h"
#include "harness/stats/quantiles.h"

namespace sglexp {
namespace {

constexpr std::size_t kLeastForBca = 8;

bool all_positive(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v) && v > 0; });
}

double resampled_median(std::span<const double> values, Rng& rng, std::vector<double>& scratch) {
  scratch.resize(values.size());
  for (double& slot : scratch) {
    slot = values[rng.below(values.size())];
  }
  return median_reordering(scratch);
}

// Median of the values without one of them, for each of them.
std::vector<double> leave_one_out(std::span<const double> values) {
  std::vector<double> medians;
  for (std::size_t out = 0; out < values.size(); ++out) {
    std::vector<double> rest(values.begin(), values.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
    medians.push_back(median_reordering(rest));
  }
  return medians;
}

// sum(d^3) / (6 sum(d^2)^1.5) over the jackknife deviations of both samples, each from the mean of
// its own sample's. NaN where nothing varies.
double acceleration(std::span<const double> x, std::span<const double> y, double median_x,
                    double median_y) {
  std::vector<double> ratios_x = leave_one_out(x);
  std::ranges::transform(ratios_x, ratios_x.begin(), [&](double m) { return median_y / m; });
  std::vector<double> ratios_y = leave_one_out(y);
  std::ranges::transform(ratios_y, ratios_y.begin(), [&](double m) { return m / median_x; });
  double squares = 0;
  double cubes = 0;
  for (const auto* ratios : {&ratios_x, &ratios_y}) {
    const double mean =
        std::accumulate(ratios->begin(), ratios->end(), 0.0) / static_cast<double>(ratios->size());
    for (const double r : *ratios) {
      const double d = mean - r;
      squares += d * d;
      cubes += d * d * d;
    }
  }
  return cubes / (6 * std::pow(squares, 1.5));
}

struct Levels {
  double low = 0;
  double high = 0;
};

// Which percentiles of the resamples BCa reads; empty where it is not defined.
std::optional<Levels> bca_levels(double share_below, double a, double alpha) {
  if (!(share_below > 0 && share_below < 1) || !std::isfinite(a)) {
    return std::nullopt;
  }
  const double z0 = normal_quantile(share_below);
  const auto level = [&](double z) { return normal_cdf(z0 + (z0 + z) / (1 - a * (z0 + z))); };
  const Levels levels = {level(normal_quantile(alpha / 2)), level(normal_quantile(1 - alpha / 2))};
  return levels.low < levels.high ? std::optional(levels) : std::nullopt;
}

}  // namespace

std::optional<BootstrapRatio> bootstrap_median_ratio(std::span<const double> x,
                                                     std::span<const double> y, std::uint64_t seed,
                                                     const BootstrapOptions& options) {
  if (x.empty() || y.empty() || !all_positive(x) || !all_positive(y) || options.resamples < 99 ||
      !(options.confidence > 0 && options.confidence < 1)) {
    return std::nullopt;
  }
  const double median_x = *median(x);
  const double median_y = *median(y);
  BootstrapRatio result;
  result.ratio = median_y / median_x;
  Rng rng(seed, "bootstrap");
  std::vector<double> scratch;
  std::vector<double> ratios(static_cast<std::size_t>(options.resamples));
  for (double& ratio : ratios) {
    const double base = resampled_median(x, rng, scratch);
    ratio = resampled_median(y, rng, scratch) / base;
  }
  std::ranges::sort(ratios);
  const double alpha = 1 - options.confidence;
  std::optional<Levels> levels;
  if (std::min(x.size(), y.size()) >= kLeastForBca) {
    const auto below = std::ranges::lower_bound(ratios, result.ratio) - ratios.begin();
    levels = bca_levels(static_cast<double>(below) / options.resamples,
                        acceleration(x, y, median_x, median_y), alpha);
  }
  result.bca = levels.has_value();
  const Levels read = levels.value_or(Levels{alpha / 2, 1 - alpha / 2});
  result.low = *quantile(ratios, percentile(100 * read.low));
  result.high = *quantile(ratios, percentile(100 * read.high));
  return result;
}

}  // namespace sglexp
