// SPDX-License-Identifier: Apache-2.0
// Tables comparison, comparison_metric and output_sanity, and the digest of what was compared.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/trial.h"
#include "harness/store/database.h"
#include "harness/store/store.h"

namespace sglexp {

[[nodiscard]] Status write_comparison(Database& database, std::string_view run_uuid,
                                      const ComparisonRecord& record);
[[nodiscard]] Result<std::vector<ComparisonRecord>> select_comparisons(Database& database,
                                                                       std::string_view run_uuid);

}  // namespace sglexp
