// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/yaml_value.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

Error expected(std::string_view what, const YamlNode& node) {
  return {ErrorCode::kInvalidInput, fmt::format("expected {}, found {}", what, describe(node))};
}

bool is_scalar(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar;
}

// Escapes in quoted text can still bring in what the file itself may not hold.
bool has_control(std::string_view text, bool lines) {
  return std::any_of(text.begin(), text.end(), [lines](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && !(lines && (c == '\n' || c == '\t'))) || byte == 0x7F;
  });
}

// A plain scalar that YAML itself, in one version or another, reads as something else than text.
bool is_typed(const YamlNode& node) {
  constexpr std::array<std::string_view, 12> kBooleans = {
      "true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes", "no", "No", "on", "off"};
  double number = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, number);
  const bool is_number = error == std::errc{} && rest == end;
  return !node.quoted &&
         (is_number || std::find(kBooleans.begin(), kBooleans.end(), node.text) != kBooleans.end());
}

template <typename T>
Result<T> above_zero(Result<T> value, T zero) {
  if (value.ok() && *value <= zero) {
    return Error{ErrorCode::kInvalidInput, "must be above zero"};
  }
  return value;
}

}  // namespace

bool is_name(std::string_view word) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !word.empty() && word.size() <= 40 && word.front() != '-' &&
         word.find_first_not_of(kLetters) == std::string_view::npos;
}

Result<std::string> text_value(const YamlNode& node) {
  if (!is_scalar(node)) {
    return expected("text", node);
  }
  if (is_typed(node)) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("expected text, found {}: put it in quotes if it is meant as text",
                             describe(node))};
  }
  if (has_control(node.text, true)) {
    return expected("text without control characters", node);
  }
  return node.text;
}

Result<std::string> word_value(const YamlNode& node) {
  if (!is_scalar(node) || has_control(node.text, false)) {
    return expected("one line of text", node);
  }
  return node.text;
}

Result<std::string> name_value(const YamlNode& node) {
  if (!is_scalar(node) || !is_name(node.text)) {
    return expected(kNameRule, node);
  }
  return node.text;
}

Result<bool> flag_value(const YamlNode& node) {
  if (!is_scalar(node) || node.quoted || (node.text != "true" && node.text != "false")) {
    return expected("true or false", node);
  }
  return node.text == "true";
}

Result<std::int64_t> integer_value(const YamlNode& node, std::int64_t min, std::int64_t max) {
  std::int64_t number = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, number);
  if (!is_scalar(node) || node.quoted || error != std::errc{} || rest != end || number < min ||
      number > max) {
    return expected(fmt::format("a whole number from {} to {}", min, max), node);
  }
  return number;
}

Result<Nanos> duration_value(const YamlNode& node) {
  if (!is_scalar(node)) {
    return expected("a duration such as 90s or 20m", node);
  }
  return above_zero(parse_duration(node.text), Nanos(0));
}

Result<std::int64_t> size_value(const YamlNode& node) {
  if (!is_scalar(node)) {
    return expected("a size such as 256GiB", node);
  }
  return above_zero(parse_size(node.text), std::int64_t{0});
}

Result<double> percent_value(const YamlNode& node) {
  if (!is_scalar(node)) {
    return expected("a percentage such as 3%", node);
  }
  auto parsed = parse_percent(node.text);
  if (parsed.ok() && !(*parsed > 0 && *parsed < 1)) {
    return Error{ErrorCode::kInvalidInput, "must be above 0% and below 100%"};
  }
  return parsed;
}

Result<int> choice_value(const YamlNode& node, std::span<const std::string> names) {
  const auto found = std::find(names.begin(), names.end(), node.text);
  if (is_scalar(node) && found != names.end()) {
    return static_cast<int>(found - names.begin());
  }
  Error error = expected("one of " + join(names, ", "), node);
  if (const auto guess = nearest(node.text, names); guess && is_scalar(node)) {
    error.message += fmt::format(" (did you mean '{}'?)", *guess);
  }
  return error;
}

}  // namespace sglexp
