// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/change_points.h"

#include <algorithm>
#include <cmath>

#include "harness/base/random.h"
#include "harness/stats/energy.h"
#include "harness/stats/outliers.h"
#include "harness/stats/quantiles.h"
#include "harness/stats/trend.h"

namespace sglexp {
namespace {

constexpr std::size_t kLongSegment = 10;  // nights from which a trend inside it is looked for

struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<EnergySplit> split;  // indices from `begin`

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] std::span<const double> of(std::span<const double> z) const {
    return z.subspan(begin, size());
  }
};

struct Found {
  std::size_t index = 0;
  double p = 1;
};

// How many permutations may reach the observed value before p = (c + 1) / (R + 1) is over alpha.
int most_exceedances(const ChangePointOptions& options) {
  return static_cast<int>(std::floor(options.alpha * (options.permutations + 1) + 1e-9)) - 1;
}

// The p of `threshold` under permutations within every segment, or empty once it is sure to be over
// alpha (the exact value is of no interest then, and most series have no change).
std::optional<double> permutation_p(std::span<const double> z, std::span<const Segment> segments,
                                    double threshold, Rng& rng, const ChangePointOptions& options) {
  const int allowed = most_exceedances(options);
  int exceeded = 0;
  std::vector<double> shuffled;
  for (int r = 0; r < options.permutations && exceeded <= allowed; ++r) {
    exceeded += std::ranges::any_of(segments, [&](const Segment& segment) {
      const auto part = segment.of(z);
      shuffled.assign(part.begin(), part.end());
      rng.shuffle(shuffled);
      return energy_split_reaches(shuffled, options.min_segment, threshold);
    });
  }
  if (exceeded > allowed) {
    return std::nullopt;
  }
  return (exceeded + 1.0) / (options.permutations + 1.0);
}

// Splits at the best (tau, kappa) of all segments while that is significant.
std::vector<Found> divide(std::span<const double> z, std::uint64_t seed,
                          const ChangePointOptions& options) {
  Rng rng(seed, "change_points");
  const auto segment = [&](std::size_t begin, std::size_t end) {
    return Segment{begin, end,
                   best_energy_split(z.subspan(begin, end - begin), options.min_segment)};
  };
  std::vector<Segment> segments = {segment(0, z.size())};
  std::vector<Found> found;
  while (true) {
    const auto best = std::ranges::max_element(
        segments, {}, [](const Segment& s) { return s.split ? s.split->q : 0.0; });
    if (!best->split || !(best->split->q > 0)) {
      break;
    }
    // A permutation that makes the very same split may round differently; it must count.
    const auto p = permutation_p(z, segments, best->split->q * (1 - 1e-9), rng, options);
    if (!p) {
      break;
    }
    const std::size_t at = best->begin + best->split->tau;
    found.push_back({at, *p});
    const Segment right = segment(at, best->end);
    *best = segment(best->begin, at);
    segments.insert(best + 1, right);
  }
  std::ranges::sort(found, {}, &Found::index);
  return found;
}

std::vector<std::size_t> bounds_of(std::span<const Found> found, std::size_t n) {
  std::vector<std::size_t> bounds = {0};
  for (const Found& f : found) {
    bounds.push_back(f.index);
  }
  bounds.push_back(n);
  return bounds;
}

std::vector<ChangePoint> describe(std::span<const double> series, std::span<const Found> found) {
  const auto bounds = bounds_of(found, series.size());
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ChangePoint point;
    point.index = found[i].index;
    point.before = *median(series.subspan(bounds[i], bounds[i + 1] - bounds[i]));
    point.after = *median(series.subspan(bounds[i + 1], bounds[i + 2] - bounds[i + 1]));
    if (point.before != 0) {
      point.relative = (point.after - point.before) / std::abs(point.before);
    }
    point.p = found[i].p;
    points.push_back(point);
  }
  return points;
}

// Drops the smallest change below the limit, again and again: each drop joins two segments and so
// moves the medians beside it. A change from a median of 0 has no relative size and stays.
void drop_small(std::span<const double> series, std::vector<Found>& found, double limit) {
  while (!found.empty()) {
    const auto points = describe(series, found);
    const auto size = [](const ChangePoint& p) {
      return p.relative ? std::abs(*p.relative) : HUGE_VAL;
    };
    const auto smallest = std::ranges::min_element(points, {}, size);
    if (size(*smallest) >= limit) {
      return;
    }
    found.erase(found.begin() + (smallest - points.begin()));
  }
}

double absolute_deviation(std::span<const double> values) {
  const double centre = *median(values);
  double sum = 0;
  for (const double v : values) {
    sum += std::abs(v - centre);
  }
  return sum;
}

// Whether a line (2 numbers) explains n nights better than the levels between `steps` steps do (a
// place and a level for each step, and the first level): the Bayesian information criterion for
// absolute deviations.
bool line_is_better(double around_line, double around_levels, std::size_t n, std::size_t steps) {
  const auto dn = static_cast<double>(n);
  const double more_numbers = 2.0 * static_cast<double>(steps) - 1;
  return 2 * dn * std::log(around_line) <=
         2 * dn * std::log(around_levels) + more_numbers * std::log(dn);
}

// The trend over all nights between the first and the last bound, where it is significant, large
// enough and the better explanation.
std::optional<Drift> drift_over(std::span<const double> z, std::span<const std::size_t> bounds,
                                const ChangePointOptions& options, Scale scale) {
  const std::size_t begin = bounds.front();
  const auto part = z.subspan(begin, bounds.back() - begin);
  if (part.size() < kLongSegment) {
    return std::nullopt;
  }
  const auto line = trend(part);
  if (!line || line->p > options.alpha) {
    return std::nullopt;
  }
  double around_line = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    around_line += std::abs(part[i] - line->intercept - line->slope * static_cast<double>(i));
  }
  double around_levels = 0;
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    around_levels += absolute_deviation(z.subspan(bounds[i - 1], bounds[i] - bounds[i - 1]));
  }
  const double total = std::abs(line->slope) * static_cast<double>(part.size() - 1);
  const double unit = scale == Scale::kLog ? 1 : std::abs(*median(part));
  if (total < options.min_relative_change * unit ||
      !line_is_better(around_line, around_levels, part.size(), bounds.size() - 2)) {
    return std::nullopt;
  }
  const double per_night = scale == Scale::kLog ? std::expm1(line->slope) : line->slope;
  return Drift{begin, bounds.back(), per_night, line->p};
}

bool all_one_way(std::span<const double> z, std::span<const std::size_t> bounds) {
  int rises = 0;
  int falls = 0;
  double previous = 0;
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    const double level = *median(z.subspan(bounds[i - 1], bounds[i] - bounds[i - 1]));
    rises += i > 1 && level > previous ? 1 : 0;
    falls += i > 1 && level < previous ? 1 : 0;
    previous = level;
  }
  return rises == 0 || falls == 0;
}

// Takes out of `found` the steps that a trend explains, longest run of steps first; then looks for
// trends inside the long segments that are left.
std::vector<Drift> take_drifts(std::span<const double> z, std::vector<Found>& found,
                               const ChangePointOptions& options, Scale scale) {
  std::vector<Drift> drifts;
  const auto overlaps = [&](std::size_t begin, std::size_t end) {
    return std::ranges::any_of(drifts,
                               [&](const Drift& d) { return begin < d.end && d.begin < end; });
  };
  for (std::size_t steps = found.size() + 1; steps-- > 0;) {
    for (std::size_t first = 0; first + steps <= found.size(); ++first) {
      const auto all = bounds_of(found, z.size());
      const auto bounds = std::span<const std::size_t>(all).subspan(first, steps + 2);
      if (overlaps(bounds.front(), bounds.back()) || !all_one_way(z, bounds)) {
        continue;
      }
      if (const auto drift = drift_over(z, bounds, options, scale)) {
        drifts.push_back(*drift);
        const auto from = found.begin() + static_cast<std::ptrdiff_t>(first);
        found.erase(from, from + static_cast<std::ptrdiff_t>(steps));
      }
    }
  }
  std::ranges::sort(drifts, {}, &Drift::begin);
  return drifts;
}

// Each night's distance from its level, or from its line where the series drifts.
std::vector<double> residuals(std::span<const double> z, std::span<const Found> found,
                              std::span<const Drift> drifts) {
  std::vector<double> rest(z.begin(), z.end());
  const auto bounds = bounds_of(found, z.size());
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    const double level = *median(z.subspan(bounds[i - 1], bounds[i] - bounds[i - 1]));
    std::for_each(rest.begin() + static_cast<std::ptrdiff_t>(bounds[i - 1]),
                  rest.begin() + static_cast<std::ptrdiff_t>(bounds[i]),
                  [&](double& v) { v -= level; });
  }
  for (const Drift& drift : drifts) {
    const auto line = trend(z.subspan(drift.begin, drift.end - drift.begin));
    for (std::size_t i = drift.begin; line && i < drift.end; ++i) {
      rest[i] = z[i] - line->intercept - line->slope * static_cast<double>(i - drift.begin);
    }
  }
  return rest;
}

}  // namespace

SeriesChanges find_changes(std::span<const double> series, std::uint64_t seed,
                           const ChangePointOptions& asked) {
  ChangePointOptions options = asked;
  options.min_segment = std::max<std::size_t>(options.min_segment, 2);
  SeriesChanges result;
  if (series.size() < 2 * options.min_segment || !all_finite(series)) {
    result.insufficient_data = true;
    return result;
  }
  result.scale = common_scale({series});
  const std::vector<double> z = to_scale(series, result.scale);
  std::vector<Found> found = divide(z, seed, options);
  drop_small(series, found, options.min_relative_change);
  result.drifts = take_drifts(z, found, options, result.scale);
  result.points = describe(series, found);
  const auto rest = residuals(z, found, result.drifts);
  const double unit = result.scale == Scale::kLog ? 1 : std::abs(*median(series));
  for (const std::size_t i : mad_outliers(rest, options.outlier_threshold)) {
    if (std::abs(rest[i]) >= options.min_relative_change * unit) {
      result.outliers.push_back(i);
    }
  }
  return result;
}

}  // namespace sglexp
