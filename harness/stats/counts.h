// SPDX-License-Identifier: Apache-2.0
// Comparing counts of failures, where a log-ratio is undefined at 0.
#pragma once

#include <cstdint>
#include <optional>

namespace sglexp {

struct FailureCount {
  std::int64_t failed = 0;
  std::int64_t total = 0;
};

struct FisherTest {
  double p_more = 1;       // H1: the candidate fails more often
  double p_fewer = 1;      // H1: the candidate fails less often
  double p_two_sided = 1;  // tables at most as likely as the observed one
};

// Fisher's exact test, both margins fixed. Empty where a count is negative, failed > total, or a
// total is 0. O(number of possible tables).
[[nodiscard]] std::optional<FisherTest> fisher_exact(const FailureCount& base,
                                                     const FailureCount& candidate);

}  // namespace sglexp
