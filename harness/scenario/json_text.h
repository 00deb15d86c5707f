// SPDX-License-Identifier: Apache-2.0
// How this room writes JSON. For .cc files of this room only.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "harness/scenario/scenario.h"

namespace sglexp {

// Indented. Never throws: bytes that are not UTF-8 are replaced, since a file may hold any.
[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Values whose names say that they are secret become "***".
[[nodiscard]] inline std::map<std::string, std::string> masked(
    std::map<std::string, std::string> values) {
  for (auto& [name, value] : values) {
    value = is_secret_name(name) ? "***" : value;
  }
  return values;
}

}  // namespace sglexp
