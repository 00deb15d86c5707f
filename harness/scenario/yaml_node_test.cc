// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/yaml_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The only problem of the text, as "line:column text".
std::string only_problem(std::string_view text) {
  const ParsedYaml parsed = parse_yaml(text);
  if (parsed.problems.size() != 1) {
    return "problems: " + std::to_string(parsed.problems.size());
  }
  const Problem& problem = parsed.problems.front();
  return std::to_string(problem.mark.line) + ":" + std::to_string(problem.mark.column) + " " +
         problem.text;
}

TEST(YamlNode, KnowsWhereEachPartStands) {
  const ParsedYaml parsed = parse_yaml("a: 1\nb:\n  - x\n  - \"y\"\nc: {d: ~}\n");
  ASSERT_THAT(parsed.problems, IsEmpty());
  const YamlNode* b = parsed.root.find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->key_mark.line, 2);
  ASSERT_THAT(b->children, SizeIs(2));
  EXPECT_EQ(b->children[1].mark.line, 4);
  EXPECT_EQ(b->children[1].mark.column, 5);
  EXPECT_FALSE(b->children[0].quoted);
  EXPECT_TRUE(b->children[1].quoted);
  EXPECT_EQ(parsed.root.find("c")->find("d")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(parsed.root.find("e"), nullptr);
}

TEST(YamlNode, ReadsJson) {
  const ParsedYaml parsed = parse_yaml(R"({"a": [1, "two"], "b": {"c": true}})");
  ASSERT_THAT(parsed.problems, IsEmpty());
  EXPECT_EQ(parsed.root.find("a")->children[1].text, "two");
}

TEST(YamlNode, RefusesWhatCouldMislead) {
  EXPECT_EQ(only_problem("a: 1\nb: 2\na: 3\n"),
            "3:1 the key 'a' is there twice (first in line 1): remove one");
  EXPECT_THAT(only_problem("a: 1\n---\nb: 2\n"), HasSubstr("3:1 a second document"));
  EXPECT_THAT(only_problem("a: &x 1\n"), HasSubstr("anchors are not accepted"));
  EXPECT_THAT(only_problem("a: !!str 1\n"), HasSubstr("tags are not accepted"));
  EXPECT_THAT(only_problem("a: 1\n<<: {b: 2}\n"), HasSubstr("2:1 merge keys are not accepted"));
  EXPECT_THAT(only_problem("? [a, b]\n: 1\n"), HasSubstr("a key must be plain text"));
  EXPECT_THAT(only_problem("a: b\x01\n"), HasSubstr("1:5 a control character"));
}

TEST(YamlNode, ReportsAnAliasOnceAndMarksItsPlace) {
  const ParsedYaml parsed = parse_yaml("a: &x 1\nb: *x\n");
  ASSERT_THAT(parsed.problems, SizeIs(2));
  EXPECT_THAT(parsed.problems[1].text, HasSubstr("aliases are not accepted"));
  EXPECT_EQ(parsed.root.find("b")->kind, YamlNode::Kind::kBroken);
}

TEST(YamlNode, KeepsTheFirstOfTwoKeysWithAllThatFollows) {
  const ParsedYaml parsed = parse_yaml("a: 1\na: {x: [1, 2]}\nb: 2\n");
  ASSERT_THAT(parsed.root.children, SizeIs(2));
  EXPECT_EQ(parsed.root.find("a")->text, "1");
  EXPECT_EQ(parsed.root.find("b")->text, "2");
}

TEST(YamlNode, BoundsDepthAndSize) {
  const std::string deep = std::string(21, '[') + std::string(21, ']');
  EXPECT_THAT(only_problem(deep), HasSubstr("nested more than 20 deep"));
  EXPECT_THAT(parse_yaml(std::string(20, '[') + std::string(20, ']')).problems, IsEmpty());
  EXPECT_THAT(only_problem(std::string(100'000, '[')), HasSubstr("not valid YAML"));
  EXPECT_THAT(only_problem("a: " + std::string(1 << 20, 'x')), HasSubstr("larger than"));
  std::string many;
  for (int i = 0; i < 10'001; ++i) {
    many += "- x\n";
  }
  EXPECT_THAT(only_problem(many), HasSubstr("more than 10000 entries"));
}

TEST(YamlNode, SyntaxErrorsHaveAPlace) {
  EXPECT_THAT(only_problem("a: [1, 2\nb: 3\n"), HasSubstr("not valid YAML"));
  EXPECT_EQ(parse_yaml("a: [").root.kind, YamlNode::Kind::kBroken);
  EXPECT_THAT(parse_yaml("").problems, IsEmpty());
  EXPECT_EQ(parse_yaml("").root.kind, YamlNode::Kind::kNull);
}

}  // namespace
}  // namespace sglexp
