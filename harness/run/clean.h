// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/store/store.h"

namespace sglexp {

// Directories of stored runs that ended longer ago than `age` and are still there. A directory that
// does not hold this very run's identity is left alone, whatever its name.
[[nodiscard]] Result<std::vector<std::string>> old_run_directories(
    const Store& store, Nanos age, std::chrono::system_clock::time_point now);

}  // namespace sglexp
