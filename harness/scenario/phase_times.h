// SPDX-License-Identifier: Apache-2.0
// How long the phases of a run typically take: for the estimate that `render` shows before anything
// is asked of a cluster. Rough on purpose; deadlines, not estimates, end a wait.
#pragma once

#include "harness/base/units.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

struct PhaseTimes {
  Nanos probe{0};     // once a job: checks on all nodes
  Nanos ready{0};     // once a slot: launch until a streamed request succeeds
  Nanos teardown{0};  // once a slot: collection, exit, check that nothing is left
  Nanos first_token{0};
  Nanos token{0};  // one decode step

  // All requests of one load point, warm-up included: waves of `concurrency` requests.
  [[nodiscard]] Nanos load_point(const LoadSpec& load, const LoadPoint& point) const;
};

// A fake engine starts in a second. The real times are those of an 8B to 70B model whose weights
// lie in the page cache of the node, with kernels compiled before; a cold start is far slower.
[[nodiscard]] PhaseTimes typical_times(bool fake_engine);

}  // namespace sglexp
