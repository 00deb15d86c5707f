// SPDX-License-Identifier: Apache-2.0
// Slurm's state words and what each of them proves.
#pragma once

#include <string>
#include <string_view>

#include "harness/slurm/scheduler.h"

namespace sglexp {

// "CANCELLED by 1000" (sacct) -> "CANCELLED"; "IDLE+DRAIN"-like additions are cut too.
[[nodiscard]] std::string state_word(std::string_view text);

// Words: job_state_string() in Slurm's slurm_protocol_defs.c. Flags such as COMPLETING or REQUEUED
// hide the base state, so they never count as ended. PREEMPTED and NODE_FAIL may turn back to
// PENDING when the site requeues such jobs: submit with --no-requeue where that would hurt.
[[nodiscard]] JobPhase phase_of(std::string_view word);

}  // namespace sglexp
