// SPDX-License-Identifier: Apache-2.0
// What a failed Slurm command means: try later, outcome unknown, or refused for good.
// Texts: slurm_errno.c of Slurm 20.11 to 25.11, and what 22.05.8 printed on a real cluster.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/sys/process.h"

namespace sglexp {

// stderr on one safe line, without the "sbatch: error: " that begins each of Slurm's lines.
[[nodiscard]] std::string slurm_message(std::string_view err);

// True where stderr says that the controller has no such job (any more).
[[nodiscard]] bool says_unknown_job(std::string_view err);

// For a command that only asks: kUnavailable, since asking again later is all that can be done.
[[nodiscard]] Error query_error(const std::string& program, const Completed& completed);

// For sbatch. kUnavailable: surely not queued, may work later. kTimedOut: nobody knows whether the
// job was queued. kInvalidInput: refused, with Slurm's words and what to change.
[[nodiscard]] Error submit_error(const Completed& completed);

}  // namespace sglexp
