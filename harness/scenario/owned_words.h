// SPDX-License-Identifier: Apache-2.0
// Flags, options and variables that this program sets itself. A file that set them too would undo
// the placement, or the identity of a worker or job, behind the program's back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/scenario/map_reader.h"

namespace sglexp {

// Each reports what is wrong with the free keys or words that were just read at `key`.
void check_engine_flags(MapReader& in, std::string_view key);
void check_router_flags(MapReader& in, std::string_view key);
// Also refuses what is not a variable's name.
void check_variables(MapReader& in, std::string_view key);
void check_sbatch_words(MapReader& in, std::string_view key, const std::vector<std::string>& words);

}  // namespace sglexp
