// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/scenario/plan.h"

namespace sglexp {

// What makes two plans the same: scenario, profile, slots and jobs, without paths and estimates.
[[nodiscard]] std::string plan_identity(const Scenario& scenario, const ClusterProfile& profile,
                                        const Plan& plan);

}  // namespace sglexp
