// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal_members.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "harness/record/json.h"

namespace sglexp {

namespace {

using nlohmann::json;

json member_of(const json& object, const std::string& name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? json() : *found;
}

json member_of(const JournalEntry& entry, const std::string& name) {
  return member_of(json::parse(entry.json, nullptr, false), name);
}

std::string as_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

std::string text_member(const JournalEntry& entry, const std::string& name) {
  return as_text(member_of(entry, name));
}

std::optional<int> number_member(const JournalEntry& entry, const std::string& name) {
  const json value = member_of(entry, name);
  if (!value.is_number_integer()) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  const bool fits =
      number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max();
  return fits ? std::optional(static_cast<int>(number)) : std::nullopt;
}

std::size_t count_member(const JournalEntry& entry, const std::string& name) {
  const json value = member_of(entry, name);
  return value.is_array() ? value.size() : 0;
}

std::vector<std::string> texts_in(const JournalEntry& entry, const std::string& name,
                                  const std::string& member) {
  std::vector<std::string> out;
  const json list = member_of(entry, name);
  for (const json& element : list.is_array() ? list : json::array()) {
    if (std::string text = as_text(member_of(element, member)); !text.empty()) {
      out.push_back(std::move(text));
    }
  }
  return out;
}

Result<std::optional<Failure>> failure_member(const JournalEntry& entry) {
  const json value = member_of(entry, "failure");
  if (value.is_null()) {
    return std::optional<Failure>();
  }
  SGLEXP_TRY(Failure failure, parse_failure(value.dump()));
  return std::optional(std::move(failure));
}

}  // namespace sglexp
