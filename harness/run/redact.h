// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sglexp {

// JSON with the value of every member whose name speaks of a secret (api_key, token, password,
// authorization ...) replaced, at any depth. SGLang's /server_info shows its API key in clear.
// Text that is not JSON is dropped: it cannot be redacted with certainty.
[[nodiscard]] std::string redact_json(std::string_view json);

}  // namespace sglexp
