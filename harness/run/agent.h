// SPDX-License-Identifier: Apache-2.0
// The experiment inside the allocation: `sglexp agent RUN_DIR --job NAME`, started by the batch
// script on the first node. It owns the experiment, so the machine that submitted it may go away.
#pragma once

#include <string>

#include "harness/record/outcome.h"
#include "harness/run/job_context.h"

namespace sglexp {

// Runs every slot of the job, tells the journal all of it, leaves nothing behind. The first failed
// slot ends the job: what it broke would break the next one too, at the price of GPU hours.
// An Error means that not even the journal could be kept.
[[nodiscard]] Result<Outcome> run_agent(const RunFiles& run, const std::string& job_name,
                                        const AgentTools& tools);

}  // namespace sglexp
