// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sglexp {

// SHA-256 as 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

// A random version-4 UUID ("8-4-4-4-12"), from the kernel's generator.
[[nodiscard]] std::string make_uuid();

}  // namespace sglexp
