// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

YamlNode tree(std::string_view text) {
  return parse_yaml(text).root;
}

std::string problem_of(std::string_view yaml, const std::string& flag) {
  YamlNode root = tree(yaml);
  const std::vector<std::string> flags = {flag};
  const auto problems = apply_overrides(root, flags);
  return problems.size() == 1 ? problems[0].mark.flag + ": " + problems[0].text : "";
}

TEST(Overrides, ReplaceMakeAndReachIntoLists) {
  YamlNode root = tree("a: {b: 1}\np: [{name: x, n: 1}, {name: y, n: 2}]\n");
  const std::vector<std::string> flags = {"a.b=2",   "a.c.d=[1, 2]", "p.0.n=7",
                                          "p.y.n=8", "e=",           "f=a=b"};
  EXPECT_THAT(apply_overrides(root, flags), IsEmpty());
  EXPECT_EQ(root.find("a")->find("b")->text, "2");
  EXPECT_THAT(root.find("a")->find("c")->find("d")->children, SizeIs(2));
  EXPECT_EQ(root.find("p")->children[0].find("n")->text, "7");
  EXPECT_EQ(root.find("p")->children[1].find("n")->text, "8");
  EXPECT_TRUE(root.find("e")->quoted);
  EXPECT_EQ(root.find("f")->text, "a=b");
  EXPECT_EQ(root.find("a")->find("b")->mark.flag, "--set a.b=2");
  EXPECT_EQ(root.find("a")->mark.flag, "");
}

TEST(Overrides, SayWhatIsWrongWithTheFlag) {
  EXPECT_EQ(problem_of("a: 1", "a"), "--set a: expected KEY.PATH=VALUE, such as repeats.blocks=4");
  EXPECT_THAT(problem_of("a: 1", "=3"), HasSubstr("expected KEY.PATH=VALUE"));
  EXPECT_THAT(problem_of("a: 1", "a..b=3"), HasSubstr("an empty name between the dots"));
  EXPECT_THAT(problem_of("a: 1", "a.b=3"), HasSubstr("a is a single value, it has no 'b'"));
  EXPECT_THAT(problem_of("a: [1]", "a.1=3"),
              HasSubstr("a has no item '1': it has 1, counted from"));
  EXPECT_THAT(problem_of("a: [1]", "a.-1=3"), HasSubstr("a has no item '-1'"));
  EXPECT_THAT(problem_of("a: 1", "a=[1"), HasSubstr("the value is not accepted: not valid YAML"));
  EXPECT_THAT(problem_of("a: 1", "a=&x 1"), HasSubstr("anchors are not accepted"));
}

TEST(Overrides, WorkOnAnEmptyFile) {
  YamlNode root = tree("");
  const std::vector<std::string> flags = {"a.b=1"};
  EXPECT_THAT(apply_overrides(root, flags), IsEmpty());
  EXPECT_EQ(root.find("a")->find("b")->text, "1");
}

TEST(DottedKeys, NestAndMerge) {
  YamlNode map = tree("a.b: 1\na: {c: 2}\nd.e.f: 3\nd.e.g: 4\n");
  EXPECT_THAT(nest_dotted_keys(map), IsEmpty());
  EXPECT_EQ(map.find("a")->find("b")->text, "1");
  EXPECT_EQ(map.find("a")->find("c")->text, "2");
  EXPECT_EQ(map.find("d")->find("e")->find("g")->text, "4");
  EXPECT_EQ(map.find("d")->find("e")->find("g")->mark.line, 4);
}

TEST(DottedKeys, RefuseTheSameKeyTwice) {
  YamlNode map = tree("a: {b: 2}\na.b: 1\nc: 1\nc.d: 2\n");
  const auto problems = nest_dotted_keys(map);
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_EQ(problems[0].mark.line, 2);
  EXPECT_THAT(problems[1].text, HasSubstr("'c.d' is there twice"));
}

}  // namespace
}  // namespace sglexp
