// SPDX-License-Identifier: Apache-2.0
// Greedy decoding of the same prompts must give the same text in every arm.
#pragma once

#include <string>

#include "harness/compare/counted_trials.h"
#include "harness/record/comparison.h"

namespace sglexp {

// Compares the output digests of two arms at one load point, block by block (the arms of a block get
// the same prompts). A block counts as equal where all its trials of both arms agree. The note is
// empty where every block agrees.
[[nodiscard]] OutputSanity compare_outputs(const CountedTrials& base,
                                           const CountedTrials& candidate);

}  // namespace sglexp
