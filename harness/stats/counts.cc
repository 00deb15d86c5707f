// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/counts.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sglexp {
namespace {

bool valid(const FailureCount& count) {
  return count.total > 0 && count.failed >= 0 && count.failed <= count.total;
}

// Weights of the tables with the candidate failing k = low .. low + size - 1 times. They are grown
// by the ratio of neighbours from the most likely table outwards: no factorials, so large counts
// lose no precision and the far tails underflow to 0 where they no longer matter.
struct Tables {
  std::int64_t low = 0;
  std::vector<double> weight;
};

Tables hypergeometric(const FailureCount& base, const FailureCount& candidate) {
  const std::int64_t failed = base.failed + candidate.failed;
  Tables tables;
  tables.low = std::max<std::int64_t>(0, failed - base.total);
  const std::int64_t high = std::min(failed, candidate.total);
  tables.weight.assign(static_cast<std::size_t>(high - tables.low + 1), 0.0);
  // weight(k + 1) / weight(k)
  const auto ratio = [&](std::int64_t k) {
    return static_cast<double>(failed - k) * static_cast<double>(candidate.total - k) /
           (static_cast<double>(k + 1) * static_cast<double>(base.total - failed + k + 1));
  };
  std::int64_t mode = tables.low;
  while (mode < high && ratio(mode) >= 1) {
    ++mode;
  }
  const auto at = [&](std::int64_t k) -> double& {
    return tables.weight[static_cast<std::size_t>(k - tables.low)];
  };
  at(mode) = 1;
  for (std::int64_t k = mode; k < high; ++k) {
    at(k + 1) = at(k) * ratio(k);
  }
  for (std::int64_t k = mode; k > tables.low; --k) {
    at(k - 1) = at(k) / ratio(k - 1);
  }
  return tables;
}

}  // namespace

std::optional<FisherTest> fisher_exact(const FailureCount& base, const FailureCount& candidate) {
  if (!valid(base) || !valid(candidate)) {
    return std::nullopt;
  }
  const Tables tables = hypergeometric(base, candidate);
  const auto observed = static_cast<std::size_t>(candidate.failed - tables.low);
  // Tables as likely as the observed one must count although they were multiplied in another order.
  const double as_likely = tables.weight[observed] * (1 + 1e-7);
  double total = 0;
  double more = 0;
  double fewer = 0;
  double unlikely = 0;
  for (std::size_t i = 0; i < tables.weight.size(); ++i) {
    const double w = tables.weight[i];
    total += w;
    more += i >= observed ? w : 0;
    fewer += i <= observed ? w : 0;
    unlikely += w <= as_likely ? w : 0;
  }
  return FisherTest{more / total, fewer / total, unlikely / total};
}

}  // namespace sglexp
