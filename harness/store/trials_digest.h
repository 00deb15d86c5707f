// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "harness/record/trial.h"

namespace sglexp {

// SHA-256 over all that a comparison reads of its trials: keys, statuses, discard reasons, metric
// values (exactly) and output digests, whatever the order of the trials. A stored comparison is
// still valid while its inputs have this digest.
[[nodiscard]] std::string trials_digest(std::span<const TrialRecord> trials);

}  // namespace sglexp
