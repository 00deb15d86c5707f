// SPDX-License-Identifier: Apache-2.0
// Reads one map of a YAML tree into a plain struct, and reports everything that is wrong in it.
//
// A section of a file is a function that asks a MapReader for the keys it knows. What was asked for
// is what is known: unknown keys, their nearest valid names and the list of all fields follow from
// it, so none of them can fall behind the code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/units.h"
#include "harness/scenario/read_log.h"
#include "harness/scenario/yaml_node.h"
#include "harness/scenario/yaml_value.h"

namespace sglexp {

// A word of a fixed list and what it stands for.
template <typename E>
struct Choice {
  std::string_view name;
  E value;
};

// Every method leaves `out` alone where the key is missing, and where its value is wrong, after
// reporting that. They return true if `out` was set.
class MapReader {
 public:
  using Section = std::function<void(MapReader&)>;
  using NamedSection = std::function<void(const std::string& name, MapReader&)>;

  // The root of a file; `what` names it in messages: "the scenario". All three must outlive it.
  MapReader(const YamlNode& root, ReadLog& log, std::string what);

  bool text(std::string_view key, std::string& out);
  bool name(std::string_view key, std::string& out);
  bool flag(std::string_view key, bool& out);
  bool integer(std::string_view key, std::int64_t& out, std::int64_t min, std::int64_t max);
  bool integer(std::string_view key, int& out, int min, int max);
  bool duration(std::string_view key, Nanos& out);
  bool size(std::string_view key, std::int64_t& out);
  bool percent(std::string_view key, double& out);
  bool texts(std::string_view key, std::vector<std::string>& out);
  bool word(std::string_view key, std::string& out, const std::vector<std::string>& words);
  template <typename E, std::size_t N>
  bool choice(std::string_view key, E& out, const Choice<E> (&choices)[N]) {
    std::vector<std::string> names;
    for (const Choice<E>& each : choices) {
      names.emplace_back(each.name);
    }
    int index = 0;
    const bool set = choice_index(key, names, index);
    out = set ? choices[index].value : out;
    return set;
  }

  // Free keys with one word each, added to `out`: command-line flags, where `true` is a switch
  // without a value (""), or environment variables.
  bool flags(std::string_view key, std::map<std::string, std::string>& out);
  bool variables(std::string_view key, std::map<std::string, std::string>& out);

  // A nested map; a list of maps; a map of maps with names of the user's own.
  bool object(std::string_view key, const Section& section);
  bool objects(std::string_view key, const Section& section);
  bool named(std::string_view key, const NamedSection& section);

  // finish() reports the key's absence, unless it is there or misspelt.
  void require(std::string_view key);
  // Reports `text` at the key's value, or at the map where there is no such key.
  void problem(std::string_view key, const std::string& text);
  // Reports the keys that nobody asked for. Nested readers are finished by the method that made
  // them.
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path(std::string_view key) const;
  [[nodiscard]] const YamlNode& node() const { return map_; }
  [[nodiscard]] ReadLog& log() { return log_; }

 private:
  MapReader(const YamlNode& map, ReadLog& log, std::string path, std::string pattern);
  const YamlNode* find(std::string_view key, std::string_view type);
  const YamlNode* container(std::string_view key, std::string_view type, YamlNode::Kind kind);
  bool words(std::string_view key, std::string_view type, std::map<std::string, std::string>& out);
  bool choice_index(std::string_view key, const std::vector<std::string>& names, int& out);
  template <typename T, typename Parse>
  bool take(std::string_view key, std::string_view type, T& out, const Parse& parse);
  void enter(const YamlNode& map, const std::string& key, const std::string& pattern,
             const Section& section);

  const YamlNode& map_;
  ReadLog& log_;
  std::string what_;
  std::string path_;     // "arms.cross_numa.placement"
  std::string pattern_;  // "arms.*.placement"
  std::vector<std::string> known_;
  std::vector<std::string> required_;
};

}  // namespace sglexp
