// SPDX-License-Identifier: Apache-2.0
// One YAML scalar -> one typed value, or the sentence that says what was expected and what is
// there. Strict: "8" in quotes is text, 8 is a number, and a quantity carries its unit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/scenario/yaml_node.h"

namespace sglexp {

[[nodiscard]] Result<std::string> text_value(const YamlNode& node);
// Any scalar as it was written, on one line: command words, values of free keys.
[[nodiscard]] Result<std::string> word_value(const YamlNode& node);
// Letters, digits, _ and -, at most 40: such names become file names.
[[nodiscard]] Result<std::string> name_value(const YamlNode& node);
[[nodiscard]] Result<bool> flag_value(const YamlNode& node);
[[nodiscard]] Result<std::int64_t> integer_value(const YamlNode& node, std::int64_t min,
                                                 std::int64_t max);
[[nodiscard]] Result<Nanos> duration_value(const YamlNode& node);     // above zero
[[nodiscard]] Result<std::int64_t> size_value(const YamlNode& node);  // bytes, above zero
[[nodiscard]] Result<double> percent_value(const YamlNode& node);     // 0.03 for 3%; in (0, 1)
// Index of the word in `names`.
[[nodiscard]] Result<int> choice_value(const YamlNode& node, std::span<const std::string> names);

// The rule behind name_value, for names that are keys.
[[nodiscard]] bool is_name(std::string_view word);
inline constexpr std::string_view kNameRule = "a name of letters, digits, '_' and '-', at most 40";

}  // namespace sglexp
