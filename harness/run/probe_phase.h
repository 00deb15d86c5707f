// SPDX-License-Identifier: Apache-2.0
// First phase of a job: every node reports, every report is judged, and the verdict ends the job
// before any engine starts where a required check failed.
#pragma once

#include <optional>

#include "harness/run/job_context.h"

namespace sglexp {

// Fills context.nodes. A failure ends the job.
[[nodiscard]] std::optional<Failure> probe_phase(JobContext& context);

}  // namespace sglexp
