// SPDX-License-Identifier: Apache-2.0
// Enumerators travel between our own processes as numbers.
#pragma once

#include <stdexcept>
#include <string>

namespace sglexp {

// The enumerator of that number, `last` being the greatest. Throws std::out_of_range for any other:
// readers of JSON call it where they catch what the JSON library throws.
template <typename Enum>
[[nodiscard]] Enum enumerator(int number, Enum last) {
  if (number < 0 || number > static_cast<int>(last)) {
    throw std::out_of_range(std::to_string(number) + " is no known value");
  }
  return static_cast<Enum>(number);
}

}  // namespace sglexp
