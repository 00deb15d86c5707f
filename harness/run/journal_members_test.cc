// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

JournalEntry line(const std::string& json) {
  return {.type = "t", .json = json};
}

TEST(JournalMembers, SayWhatIsThere) {
  const JournalEntry entry =
      line(R"({"job": "a", "slot": 3, "nodes": [{"node": "n1"}, {"node": "n2"}]})");
  EXPECT_EQ(text_member(entry, "job"), "a");
  EXPECT_EQ(number_member(entry, "slot"), 3);
  EXPECT_EQ(count_member(entry, "nodes"), 2U);
  EXPECT_THAT(texts_in(entry, "nodes", "node"), ElementsAre("n1", "n2"));
}

TEST(JournalMembers, OfAnotherTypeSayNothing) {
  for (const char* text :
       {R"({"x": []})", R"({"x": {"node": 1}})", R"({"x": 1.5})", R"({"x": [1, {"node": 2}, []]})",
        R"({"x": null})", "{}", "[]", "7", R"("x")", "not json", ""}) {
    EXPECT_EQ(text_member(line(text), "x"), "") << text;
    EXPECT_EQ(number_member(line(text), "x"), std::nullopt) << text;
    EXPECT_THAT(texts_in(line(text), "x", "node"), IsEmpty()) << text;
  }
  EXPECT_EQ(number_member(line(R"({"x": 4294967296})"), "x"), std::nullopt);
  EXPECT_EQ(count_member(line(R"({"x": {}})"), "x"), 0U);
}

TEST(JournalMembers, AFailureIsNoneOrWhole) {
  EXPECT_FALSE(*failure_member(line(R"({"failure": null})")));
  EXPECT_FALSE(*failure_member(line("{}")));
  const auto whole =
      failure_member(line(R"({"failure": {"outcome": "startup", "what": "w1 died"}})"));
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ((*whole)->what, "w1 died");
  EXPECT_FALSE(failure_member(line(R"({"failure": "died"})")).ok());
}

}  // namespace
}  // namespace sglexp
