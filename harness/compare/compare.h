// SPDX-License-Identifier: Apache-2.0
// Arms against the base arm: every metric at every load point, and the word for each. Pure: equal
// input gives an equal Comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/record/comparison.h"
#include "harness/record/outcome.h"
#include "harness/record/trial.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

struct CompareRequest {
  std::string base_arm;
  std::vector<std::string> other_arms;   // in the order to report
  std::vector<std::string> load_points;  // in the order to report
  std::vector<GateSpec> gates;
  std::uint64_t seed = 1;  // of random sign flips, used beyond 20 blocks
  bool simulated = false;
  std::string confounded_with;  // "nodes": blocks are no pairs, since their arms ran apart
  double alpha = 0.05;
  double confidence = 0.95;
};

// What the scenario asks for: its arms, load points, gates and seed.
[[nodiscard]] CompareRequest compare_request(const Scenario& scenario);

// Paired where arm and base share blocks with counted trials and nothing is confounded: exact
// sign-flip p, Walsh interval. Else unpaired: exact Mann-Whitney, Hodges-Lehmann. `ratio` is
// candidate / base whatever the direction; on values of 0 or below it is 1 + shift / median(base),
// and the reason says "linear". Holm runs over the gates (metric x load point) of one arm that can
// be tested; metrics without a gate are judged by their own p and a usual margin, for information.
// Metrics without a direction are facts and are compared only where a gate asks for it.
// A gate that could not be evaluated is a row with kNoData and the reason.
[[nodiscard]] Comparison compare_arms(std::span<const TrialRecord> trials,
                                      const CompareRequest& request);

// What the gates make of the run: kInfrastructure where a declared gate could not be evaluated, else
// kRegressed where one that fails the run is worse, else kInconclusive where such a one is
// undecided, else kPassed.
[[nodiscard]] Outcome gate_outcome(const Comparison& comparison);

// The margin of a metric without a gate: p99 and maxima 10 %, TTFT p50 5 %, all else 3 %.
[[nodiscard]] double usual_margin(std::string_view metric);

}  // namespace sglexp
