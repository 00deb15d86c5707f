// SPDX-License-Identifier: Apache-2.0
// Tables env_blob, run_env and env_fact: JSON documents about where something ran, each kept once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/database.h"
#include "harness/store/store.h"

namespace sglexp {

// Replaces the document of that run, job, node and scope. kInvalidInput: not JSON.
[[nodiscard]] Status write_environment(Database& database, std::string_view run_uuid,
                                       const EnvironmentFact& fact);
// A document that holds for one trial, for all nodes.
[[nodiscard]] Status write_trial_fact(Database& database, std::int64_t trial_id,
                                      std::string_view scope, std::string_view json);

[[nodiscard]] Result<std::vector<EnvironmentFact>> select_environment(Database& database,
                                                                      std::string_view run_uuid);

}  // namespace sglexp
