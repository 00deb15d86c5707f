// SPDX-License-Identifier: Apache-2.0
#include "harness/run/redact.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

#include "harness/scenario/scenario.h"

namespace sglexp {

namespace {

using nlohmann::json;

// Names of flags and variables, and what HTTP and libraries add to them.
bool is_secret(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kWords = {"apikey", "password",   "passwd",
                                 "secret", "credential", "authorization"};
  return is_secret_name(name) || std::any_of(kWords.begin(), kWords.end(), [&](const char* word) {
           return lower.find(word) != std::string::npos;
         });
}

void redact(json& value) {
  if (value.is_object()) {
    for (auto& [name, member] : value.items()) {
      if (is_secret(name) && !member.is_null()) {
        member = "(redacted)";
      } else {
        redact(member);
      }
    }
  } else if (value.is_array()) {
    for (json& element : value) {
      redact(element);
    }
  }
}

}  // namespace

std::string redact_json(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) {
    return "";
  }
  redact(value);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sglexp
