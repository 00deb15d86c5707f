// SPDX-License-Identifier: Apache-2.0
// Table placement: which GPUs, CPUs and ports each process of a trial got.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/trial.h"
#include "harness/store/database.h"
#include "harness/store/statement.h"

namespace sglexp {

[[nodiscard]] Status write_placement(Database& database, std::int64_t trial_id,
                                     const std::vector<PlacementRow>& rows);

// A reader may be used for any number of trials.
[[nodiscard]] Result<Statement> prepare_placement_reader(Database& database);
[[nodiscard]] Status read_placement(Statement& reader, std::int64_t trial_id,
                                    std::vector<PlacementRow>& out);

}  // namespace sglexp
