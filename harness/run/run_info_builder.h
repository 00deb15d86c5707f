// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/record/run_info.h"
#include "harness/run/run_files.h"

namespace sglexp {

// The run as the store keeps it, before anything has happened. An arm's compare_key is a digest of
// everything that must be equal for its numbers to be compared with those of another run: workload,
// engine, router, allocation, node type, whether it is simulated, and the definitions of metrics;
// without names, gates and repeats.
[[nodiscard]] RunInfo make_run_info(const RunFiles& run);

}  // namespace sglexp
