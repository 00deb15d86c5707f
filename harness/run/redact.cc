// SPDX-License-Identifier: Apache-2.0
#include "harness/run/redact.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace sglexp {

namespace {

using nlohmann::json;

bool is_secret(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // "tokens" counts tokens; a "token" grants access.
  constexpr std::array kSecrets = {"api_key", "apikey",     "password",     "passwd",
                                   "secret",  "credential", "authorization"};
  return name == "token" || name.ends_with("_token") ||
         std::any_of(kSecrets.begin(), kSecrets.end(),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
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
