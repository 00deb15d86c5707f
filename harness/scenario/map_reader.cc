// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/map_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

std::string child_path(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

// What sections read while the fields are only listed.
const YamlNode& empty_map() {
  static const YamlNode node = [] {
    YamlNode map;
    map.kind = YamlNode::Kind::kMap;
    return map;
  }();
  return node;
}

}  // namespace

MapReader::MapReader(const YamlNode& root, ReadLog& log, std::string what)
    : map_(root), log_(log), what_(std::move(what)) {
  log_.saw("", root.mark);
  if (root.kind != YamlNode::Kind::kMap && root.kind != YamlNode::Kind::kBroken) {
    log_.problem(root.mark, "", fmt::format("{}: expected a map, found {}", what_, describe(root)));
  }
}

MapReader::MapReader(const YamlNode& map, ReadLog& log, std::string path, std::string pattern)
    : map_(map), log_(log), what_(path), path_(std::move(path)), pattern_(std::move(pattern)) {}

std::string MapReader::path(std::string_view key) const {
  return child_path(path_, key);
}

const YamlNode* MapReader::find(std::string_view key, std::string_view type) {
  known_.emplace_back(key);
  log_.field(child_path(pattern_, key), type);
  const YamlNode* node = map_.find(key);
  if (node == nullptr || node->kind == YamlNode::Kind::kBroken) {
    return nullptr;
  }
  log_.saw(path(key), node->mark);
  return node;
}

template <typename T, typename Parse>
bool MapReader::take(std::string_view key, std::string_view type, T& out, const Parse& parse) {
  const YamlNode* node = find(key, type);
  if (node == nullptr) {
    return false;
  }
  auto parsed = parse(*node);
  if (!parsed.ok()) {
    problem(key, parsed.error().message);
    return false;
  }
  out = static_cast<T>(std::move(parsed).value());
  return true;
}

bool MapReader::text(std::string_view key, std::string& out) {
  return take(key, "text", out, text_value);
}

bool MapReader::name(std::string_view key, std::string& out) {
  return take(key, "name", out, name_value);
}

bool MapReader::flag(std::string_view key, bool& out) {
  return take(key, "boolean", out, flag_value);
}

bool MapReader::integer(std::string_view key, std::int64_t& out, std::int64_t min,
                        std::int64_t max) {
  return take(key, "integer", out,
              [&](const YamlNode& node) { return integer_value(node, min, max); });
}

bool MapReader::integer(std::string_view key, int& out, int min, int max) {
  return take(key, "integer", out,
              [&](const YamlNode& node) { return integer_value(node, min, max); });
}

bool MapReader::duration(std::string_view key, Nanos& out) {
  return take(key, "duration", out, duration_value);
}

bool MapReader::size(std::string_view key, std::int64_t& out) {
  return take(key, "size", out, size_value);
}

bool MapReader::percent(std::string_view key, double& out) {
  return take(key, "percent", out, percent_value);
}

bool MapReader::choice_index(std::string_view key, const std::vector<std::string>& names,
                             int& out) {
  return take(key, "choice", out, [&](const YamlNode& node) { return choice_value(node, names); });
}

bool MapReader::word(std::string_view key, std::string& out,
                     const std::vector<std::string>& words) {
  int index = 0;
  const bool set = choice_index(key, words, index);
  out = set ? words[static_cast<std::size_t>(index)] : out;
  return set;
}

const YamlNode* MapReader::container(std::string_view key, std::string_view type,
                                     YamlNode::Kind kind) {
  const YamlNode* node = find(key, type);
  if (node != nullptr && node->kind != kind) {
    problem(key, fmt::format("expected {}, found {}",
                             kind == YamlNode::Kind::kMap ? "a map" : "a list", describe(*node)));
    return nullptr;
  }
  return node;
}

bool MapReader::texts(std::string_view key, std::vector<std::string>& out) {
  const YamlNode* list = container(key, "list", YamlNode::Kind::kList);
  if (list == nullptr) {
    return false;
  }
  std::vector<std::string> items;
  for (const YamlNode& item : list->children) {
    const std::string item_key = fmt::format("{}.{}", key, items.size());
    log_.saw(path(item_key), item.mark);
    auto word = word_value(item);
    if (!word.ok()) {
      problem(item_key, word.error().message);
      return false;
    }
    items.push_back(std::move(word).value());
  }
  out = std::move(items);
  return true;
}

bool MapReader::words(std::string_view key, std::string_view type,
                      std::map<std::string, std::string>& out) {
  const YamlNode* map = container(key, type, YamlNode::Kind::kMap);
  if (map == nullptr) {
    return false;
  }
  for (const YamlNode& entry : map->children) {
    const std::string entry_key = fmt::format("{}.{}", key, entry.key);
    log_.saw(path(entry_key), entry.mark);
    if (auto word = word_value(entry); word.ok()) {
      out[entry.key] = std::move(word).value();
    } else if (entry.kind != YamlNode::Kind::kBroken) {
      problem(entry_key, word.error().message);
    }
  }
  return true;
}

bool MapReader::flags(std::string_view key, std::map<std::string, std::string>& out) {
  if (!words(key, "flags", out)) {
    return false;
  }
  for (const YamlNode& entry : map_.find(key)->children) {
    const auto value = flag_value(entry);
    if (value.ok() && *value) {
      out[entry.key] = "";
    } else if (value.ok()) {
      problem(fmt::format("{}.{}", key, entry.key),
              "a flag cannot be false: leave it out, or write its value in quotes");
    }
  }
  return true;
}

bool MapReader::variables(std::string_view key, std::map<std::string, std::string>& out) {
  return words(key, "variables", out);
}

void MapReader::enter(const YamlNode& map, const std::string& key, const std::string& pattern,
                      const Section& section) {
  log_.saw(path(key), map.mark);
  if (map.kind == YamlNode::Kind::kBroken) {
    return;
  }
  if (map.kind != YamlNode::Kind::kMap) {
    problem(key, fmt::format("expected a map, found {}", describe(map)));
    return;
  }
  MapReader inner(map, log_, path(key), child_path(pattern_, pattern));
  section(inner);
  inner.finish();
}

bool MapReader::object(std::string_view key, const Section& section) {
  const YamlNode* map = find(key, "map");
  map = map == nullptr && log_.is_describing() ? &empty_map() : map;
  if (map != nullptr) {
    enter(*map, std::string(key), std::string(key), section);
  }
  return map != nullptr;
}

bool MapReader::objects(std::string_view key, const Section& section) {
  const YamlNode* list = container(key, "list of maps", YamlNode::Kind::kList);
  const std::string pattern = std::string(key) + "[]";
  if (log_.is_describing()) {
    enter(empty_map(), std::string(key), pattern, section);
  }
  for (std::size_t i = 0; list != nullptr && i < list->children.size(); ++i) {
    enter(list->children[i], fmt::format("{}.{}", key, i), pattern, section);
  }
  return list != nullptr;
}

bool MapReader::named(std::string_view key, const NamedSection& section) {
  const YamlNode* map = container(key, "map of maps", YamlNode::Kind::kMap);
  const std::string pattern = std::string(key) + ".*";
  if (log_.is_describing()) {
    enter(empty_map(), std::string(key), pattern, [&](MapReader& in) { section("name", in); });
  }
  for (std::size_t i = 0; map != nullptr && i < map->children.size(); ++i) {
    const YamlNode& entry = map->children[i];
    if (!is_name(entry.key)) {
      log_.problem(entry.key_mark, path(key),
                   fmt::format("{}: expected {}, found '{}'", path(key), kNameRule,
                               printable(entry.key, 60)));
      continue;
    }
    enter(entry, fmt::format("{}.{}", key, entry.key), pattern,
          [&](MapReader& in) { section(entry.key, in); });
  }
  return map != nullptr;
}

void MapReader::require(std::string_view key) {
  required_.emplace_back(key);
  log_.require(child_path(pattern_, key));
}

void MapReader::problem(std::string_view key, const std::string& text) {
  log_.problem_at(path(key), fmt::format("{}: {}", path(key), text));
}

void MapReader::finish() {
  if (map_.kind != YamlNode::Kind::kMap) {
    return;
  }
  for (const YamlNode& entry : map_.children) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) {
      continue;
    }
    const auto guess = nearest(entry.key, known_);
    // Filed under the key that was probably meant, so that rules about that key keep silent.
    log_.problem(entry.key_mark, path(guess.value_or(entry.key)),
                 fmt::format("unknown key '{}' in {} ({})", printable(entry.key, 60), what_,
                             guess ? fmt::format("did you mean '{}'?", *guess)
                                   : "known: " + join(known_, ", ")));
  }
  for (const std::string& key : required_) {
    if (map_.find(key) == nullptr && log_.clean(path(key))) {
      log_.problem(map_.mark, path(key), fmt::format("{}: missing, and has no default", path(key)));
    }
  }
}

}  // namespace sglexp
