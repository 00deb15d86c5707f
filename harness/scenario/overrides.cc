// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/overrides.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

void set_marks(YamlNode& node, const SourceMark& mark) {
  node.mark = mark;
  node.key_mark = mark;
  for (YamlNode& child : node.children) {
    set_marks(child, mark);
  }
}

// The child `key` of a map, made if it is not there. Nothing written counts as an empty map.
YamlNode& child_of(YamlNode& map, const std::string& key, const SourceMark& mark) {
  if (map.kind == YamlNode::Kind::kNull) {
    map.kind = YamlNode::Kind::kMap;
    map.mark = mark;
  }
  if (YamlNode* child = map.find(key)) {
    return *child;
  }
  YamlNode child;
  child.key = key;
  child.key_mark = mark;
  child.mark = mark;
  map.children.push_back(std::move(child));
  return map.children.back();
}

YamlNode* item_of(YamlNode& list, const std::string& wanted) {
  std::size_t index = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [rest, error] = std::from_chars(wanted.data(), end, index);
  if (error == std::errc{} && rest == end) {
    return index < list.children.size() ? &list.children[index] : nullptr;
  }
  const auto named = std::find_if(list.children.begin(), list.children.end(), [&](YamlNode& item) {
    const YamlNode* name = item.find("name");
    return name != nullptr && name->text == wanted;
  });
  return named != list.children.end() ? &*named : nullptr;
}

struct Override {
  std::vector<std::string> keys;
  YamlNode value;
};

// Empty on success, else what is wrong with the flag.
std::string parse_override(const std::string& text, Override& out) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return "expected KEY.PATH=VALUE, such as repeats.blocks=4";
  }
  out.keys = split(std::string_view(text).substr(0, equals), '.');
  if (std::any_of(out.keys.begin(), out.keys.end(), [](const auto& key) { return key.empty(); })) {
    return "an empty name between the dots of the key";
  }
  const std::string value = text.substr(equals + 1);
  if (trim(value).empty()) {
    out.value.kind = YamlNode::Kind::kScalar;
    out.value.quoted = true;
    return "";
  }
  ParsedYaml parsed = parse_yaml(value);
  if (!parsed.problems.empty()) {
    return "the value is not accepted: " + parsed.problems.front().text;
  }
  out.value = std::move(parsed.root);
  return "";
}

std::string place(YamlNode& root, Override& change, const SourceMark& mark) {
  YamlNode* node = &root;
  std::string path;
  for (const std::string& key : change.keys) {
    YamlNode* next = nullptr;
    if (node->kind == YamlNode::Kind::kList) {
      next = item_of(*node, key);
      if (next == nullptr) {
        return fmt::format("{} has no item '{}': it has {}, counted from 0", path,
                           printable(key, 60), node->children.size());
      }
    } else if (node->kind == YamlNode::Kind::kScalar || node->kind == YamlNode::Kind::kBroken) {
      return fmt::format("{} is a single value, it has no '{}'", path, printable(key, 60));
    } else {
      next = &child_of(*node, key, mark);
    }
    path += (path.empty() ? "" : ".") + key;
    node = next;
  }
  const std::string key = node->key;
  const SourceMark key_mark = node->key_mark;
  *node = std::move(change.value);
  set_marks(*node, mark);
  node->key = key;
  node->key_mark = key_mark;
  return "";
}

}  // namespace

std::vector<Problem> apply_overrides(YamlNode& root, std::span<const std::string> overrides) {
  std::vector<Problem> problems;
  for (const std::string& text : overrides) {
    const SourceMark mark{0, 0, "--set " + printable(text, 100)};
    Override change;
    std::string wrong = parse_override(text, change);
    if (wrong.empty()) {
      wrong = place(root, change, mark);
    }
    if (!wrong.empty()) {
      problems.push_back({mark, "", wrong});
    }
  }
  return problems;
}

std::vector<Problem> nest_dotted_keys(YamlNode& map) {
  std::vector<Problem> problems;
  std::vector<YamlNode> entries = std::exchange(map.children, {});
  // Nested maps first: a dotted key can join one, but a map cannot replace what dotted keys made.
  std::stable_partition(entries.begin(), entries.end(), [](const YamlNode& entry) {
    return entry.key.find('.') == std::string::npos;
  });
  for (YamlNode& entry : entries) {
    std::vector<std::string> keys = split(entry.key, '.');
    YamlNode* parent = &map;
    for (std::size_t i = 0; i + 1 < keys.size() && parent != nullptr; ++i) {
      YamlNode& child = child_of(*parent, keys[i], entry.key_mark);
      child.kind = child.kind == YamlNode::Kind::kNull ? YamlNode::Kind::kMap : child.kind;
      parent = child.kind == YamlNode::Kind::kMap ? &child : nullptr;
    }
    if (parent == nullptr || parent->find(keys.back()) != nullptr) {
      problems.push_back(
          {entry.key_mark, "",
           fmt::format("'{}' is there twice: remove one", printable(entry.key, 60))});
      continue;
    }
    entry.key = keys.back();
    parent->children.push_back(std::move(entry));
  }
  return problems;
}

}  // namespace sglexp
