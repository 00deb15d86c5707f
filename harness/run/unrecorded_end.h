// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/record/outcome.h"
#include "harness/slurm/scheduler.h"

namespace sglexp {

// Why a job that has ended left no record of its end, as far as Slurm's word for it tells. Pure.
[[nodiscard]] Failure unrecorded_end(const JobState& state);

}  // namespace sglexp
