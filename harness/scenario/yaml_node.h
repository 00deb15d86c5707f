// SPDX-License-Identifier: Apache-2.0
// A YAML document as a plain tree that knows where each part stands in the file.
//
// Only a safe and unambiguous part of YAML is accepted: one document, maps with unique plain-text
// keys, lists and scalars; no anchors, aliases, merge keys or tags. Everything else is a problem,
// because a reader of the file could be misled by it. JSON is accepted where it is YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

// Counted from 1. A value that --set supplied has no line: `flag` then says which one it was.
struct SourceMark {
  int line = 0;
  int column = 0;
  std::string flag;
};

struct YamlNode {
  enum class Kind {
    kNull,    // nothing written, `~` or `null`
    kScalar,  // text; `quoted` tells "8" from 8
    kList,
    kMap,
    kBroken,  // already reported: readers skip it silently
  };
  Kind kind = Kind::kNull;
  SourceMark mark;
  std::string key;  // where the parent is a map
  SourceMark key_mark;
  std::string text;
  bool quoted = false;
  std::vector<YamlNode> children;  // of lists and maps, in file order

  [[nodiscard]] const YamlNode* find(std::string_view wanted) const;
  [[nodiscard]] YamlNode* find(std::string_view wanted);
};

// "a map", "a list", "nothing", "the text 'abc'", "the number 7": for messages.
[[nodiscard]] std::string describe(const YamlNode& node);

// One thing that is wrong with a file. `path` is where it belongs ("engine.tp"), as far as known.
struct Problem {
  SourceMark mark;
  std::string path;
  std::string text;
};

struct ParsedYaml {
  YamlNode root;
  std::vector<Problem> problems;
};

// Never throws; a syntax error ends the tree early and is the last problem.
[[nodiscard]] ParsedYaml parse_yaml(std::string_view text);

}  // namespace sglexp
