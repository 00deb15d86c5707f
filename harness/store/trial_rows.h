// SPDX-License-Identifier: Apache-2.0
// Tables trial, metric, hist, placement and env_fact: one TrialRecord.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/trial.h"
#include "harness/store/database.h"

namespace sglexp {

// Inserts the trial or replaces what is stored under its key, without its requests. Returns the row
// id, which a replaced trial keeps. Runs inside a transaction of the caller's.
[[nodiscard]] Result<std::int64_t> write_trial(Database& database, std::string_view run_uuid,
                                               const TrialRecord& trial);

[[nodiscard]] Result<std::vector<TrialRecord>> select_trials(Database& database,
                                                             std::string_view run_uuid);

}  // namespace sglexp
