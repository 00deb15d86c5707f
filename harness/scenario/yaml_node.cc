// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/yaml_node.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

// Both far above what a scenario needs, and far below what could exhaust the machine.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDepth = 20;
constexpr std::size_t kMaxEntries = 10'000;  // of one map or list; keys are compared pairwise

// yaml-cpp counts from 0; a mark of -1 means that it does not know.
SourceMark to_mark(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, ""};
}

// Builds the tree from parser events rather than from YAML::Node, which keeps neither duplicate
// keys nor anchors, and so could not refuse them.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::vector<Problem>& problems) : problems_(problems) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_key(mark);
    add(make(YamlNode::Kind::kNull, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse_key(mark);
    problems_.push_back({to_mark(mark), "", "aliases are not accepted: write the value out"});
    add(make(YamlNode::Kind::kBroken, mark, "", 0));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (expects_key()) {
      take_key(mark, value);
      return;
    }
    YamlNode node = make(YamlNode::Kind::kScalar, mark, tag, anchor);
    node.text = value;
    node.quoted = tag == "!";  // the parser's sign for a quoted or block scalar
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::kList, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::kMap, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node;
    bool has_key = false;
    bool repeated = false;  // the pending key was there before
    std::string key;
    SourceMark key_mark;
  };

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap &&
           !open_.back().has_key;
  }

  // A list, map or nothing as a key cannot be named in any message or flag: the parse ends here.
  void refuse_key(const YAML::Mark& mark) const {
    if (expects_key()) {
      throw YAML::ParserException(mark, "a key must be plain text");
    }
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Frame& frame = open_.back();
    frame.has_key = true;
    frame.key = key;
    frame.key_mark = to_mark(mark);
    const YamlNode* earlier = frame.node.find(key);
    frame.repeated = earlier != nullptr;
    if (earlier != nullptr) {
      problems_.push_back({frame.key_mark, "",
                           fmt::format("the key '{}' is there twice (first in line {}): remove one",
                                       printable(key, 60), earlier->key_mark.line)});
    } else if (key == "<<") {
      problems_.push_back({frame.key_mark, "", "merge keys are not accepted: write the keys out"});
      frame.repeated = true;
    }
  }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor) {
    YamlNode node;
    node.kind = kind;
    node.mark = to_mark(mark);
    if (anchor != 0) {
      problems_.push_back({node.mark, "", "anchors are not accepted: write the value out twice"});
    }
    if (!tag.empty() && tag != "?" && tag != "!") {
      problems_.push_back(
          {node.mark, "", fmt::format("tags are not accepted: remove '{}'", printable(tag, 60))});
    }
    return node;
  }

  void open(YamlNode node, const YAML::Mark& mark) {
    refuse_key(mark);
    if (open_.size() >= kMaxDepth) {
      throw YAML::ParserException(mark, fmt::format("nested more than {} deep", kMaxDepth));
    }
    open_.push_back({std::move(node), false, false, "", {}});
  }
  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = open_.back();
    if (frame.node.children.size() >= kMaxEntries) {
      YAML::Mark mark;
      mark.line = node.mark.line - 1;
      mark.column = node.mark.column - 1;
      throw YAML::ParserException(mark, fmt::format("more than {} entries", kMaxEntries));
    }
    const bool keep = !frame.repeated;
    if (frame.has_key) {
      node.key = std::exchange(frame.key, "");
      node.key_mark = frame.key_mark;
      frame.has_key = false;
      frame.repeated = false;
    }
    if (keep) {
      frame.node.children.push_back(std::move(node));
    }
  }

  std::vector<Problem>& problems_;
  std::vector<Frame> open_;
  YamlNode root_;
};

bool looks_like_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789eE_xX") == std::string::npos &&
         std::any_of(text.begin(), text.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// Control bytes would travel on into command lines, scripts and terminals.
bool find_control_byte(std::string_view text, SourceMark& at) {
  at = {1, 1, ""};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7F) {
      return true;
    }
    at.column = c == '\n' ? 1 : at.column + 1;
    at.line += c == '\n' ? 1 : 0;
  }
  return false;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view wanted) const {
  const auto it = std::find_if(children.begin(), children.end(),
                               [&](const YamlNode& child) { return child.key == wanted; });
  return kind == Kind::kMap && it != children.end() ? &*it : nullptr;
}

YamlNode* YamlNode::find(std::string_view wanted) {
  return const_cast<YamlNode*>(std::as_const(*this).find(wanted));
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kBroken:
      return "an alias";
    case YamlNode::Kind::kScalar:
      break;
  }
  const bool number = !node.quoted && looks_like_number(node.text);
  const std::string shown = printable(node.text, 60);
  return number ? "the number " + shown : "'" + shown + "'";
}

ParsedYaml parse_yaml(std::string_view text) {
  ParsedYaml out;
  out.root.mark = {1, 1, ""};
  SourceMark control;
  if (text.size() > kMaxBytes) {
    out.problems.push_back(
        {{1, 1, ""}, "", fmt::format("larger than {} bytes: not a scenario", kMaxBytes)});
    out.root.kind = YamlNode::Kind::kBroken;
    return out;
  }
  if (find_control_byte(text, control)) {
    out.problems.push_back({control, "", "a control character: save the file as UTF-8 text"});
    out.root.kind = YamlNode::Kind::kBroken;
    return out;
  }
  TreeBuilder builder(out.problems);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      out.root = builder.take_root();
    }
    // A second document would be dropped without a word by most loaders.
    TreeBuilder second(out.problems);
    if (parser.HandleNextDocument(second)) {
      const YamlNode extra = second.take_root();
      out.problems.push_back({extra.mark, "", "a second document: one file holds one"});
    }
  } catch (const YAML::Exception& error) {
    out.root.kind = YamlNode::Kind::kBroken;
    out.problems.push_back({to_mark(error.mark), "", "not valid YAML: " + error.msg});
  }
  return out;
}

}  // namespace sglexp
