// SPDX-License-Identifier: Apache-2.0
// From the names that people and records use to the rows that hold them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/store/database.h"

namespace sglexp {

// Row id; kNotFound where no run has that uuid.
[[nodiscard]] Result<std::int64_t> run_id(Database& database, std::string_view run_uuid);
// Row id of the node, which is added if it is new; 0 for "" (the cluster as a whole).
[[nodiscard]] Result<std::int64_t> node_id(Database& database, std::string_view hostname);

// Adds the definition, or checks it against the stored one: kInvalidInput where unit or direction
// differ, since numbers of two units under one name would be compared with each other.
[[nodiscard]] Status define_metric(Database& database, std::string_view name, std::string_view unit,
                                   std::string_view direction, std::string_view kind);

// What people type for a run -> its uuid: see Store::find_run.
[[nodiscard]] Result<std::string> resolve_run(Database& database, std::string_view text);

}  // namespace sglexp
