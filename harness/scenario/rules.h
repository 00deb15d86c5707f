// SPDX-License-Identifier: Apache-2.0
// What a scenario's values must be to each other, after each one is right by itself.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/read_log.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

// Reports what cannot work, and fills in what follows from other values: a job per slot and the
// words for Slurm where placement is by request. A rule stays silent where its values are wrong.
void apply_rules(Scenario& scenario, const LoadOptions& options, ReadLog& log);

}  // namespace sglexp
