// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sglexp {

// A path for --output, which is a pattern: "%j" in it would become the job's id.
[[nodiscard]] inline std::string file_pattern(std::string_view path) {
  std::string pattern;
  for (const char c : path) {
    pattern += c;
    if (c == '%') {
      pattern += '%';
    }
  }
  return pattern;
}

}  // namespace sglexp
