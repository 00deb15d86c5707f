// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/geomean.h"

#include <cmath>

namespace sglexp {

std::optional<double> geomean(std::span<const double> ratios) {
  double sum = 0;
  for (const double r : ratios) {
    if (!(r > 0) || !std::isfinite(r)) {
      return std::nullopt;
    }
    sum += std::log(r);
  }
  return ratios.empty() ? std::nullopt
                        : std::optional(std::exp(sum / static_cast<double>(ratios.size())));
}

}  // namespace sglexp
