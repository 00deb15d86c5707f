// SPDX-License-Identifier: Apache-2.0
// Tables run, arm, run_metric and job. Writers run inside a transaction of the
// caller's.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/run_info.h"
#include "harness/store/database.h"
#include "harness/store/store.h"

namespace sglexp {

[[nodiscard]] Status insert_run(Database& database, const RunInfo& run);
[[nodiscard]] Status update_run(Database& database, const RunInfo& run);
[[nodiscard]] Status write_jobs(Database& database, std::string_view run_uuid,
                                std::span<const RunJob> jobs);

[[nodiscard]] Result<std::vector<RunSummary>> select_runs(Database& database,
                                                          const RunFilter& filter);
[[nodiscard]] Result<RunInfo> select_run(Database& database, std::string_view run_uuid);
[[nodiscard]] Result<std::vector<RunJob>> select_jobs(Database& database,
                                                      std::string_view run_uuid);

}  // namespace sglexp
