// SPDX-License-Identifier: Apache-2.0
// Table check_result.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/check.h"
#include "harness/store/database.h"

namespace sglexp {

[[nodiscard]] Status write_checks(Database& database, std::string_view run_uuid,
                                  std::string_view job_id, std::span<const CheckResult> checks);
[[nodiscard]] Result<std::vector<CheckResult>> select_checks(Database& database,
                                                             std::string_view run_uuid);

}  // namespace sglexp
