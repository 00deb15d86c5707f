// SPDX-License-Identifier: Apache-2.0
// Text of unknown origin: in terminal columns (layout.h) and in Markdown (markdown_text.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/layout.h"
#include "harness/report/markdown_text.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Ascii, LeavesOneMarkACharacter) {
  EXPECT_EQ(ascii("caf\xc3\xa9 \x1b[31m \xe2\x9c\x93"), "caf? ?[31m ?");
}

TEST(Wrap, BreaksAtBlanksAndCutsLongWords) {
  EXPECT_THAT(wrap("one two three", 8, 9), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("abcdefghij", 4, 9), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(wrap("one two three four", 8, 2), ElementsAre("one two", "three..."));
  EXPECT_THAT(wrap("", 8, 2), ElementsAre(""));
}

TEST(Labelled, IndentsTheLinesAfterTheFirst) {
  const std::string text = labelled("cause", std::string(60, 'x') + " second", 3);
  EXPECT_EQ(text, "cause     " + std::string(60, 'x') + " second\n");
  EXPECT_THAT(labelled("cause", std::string(60, 'x') + " second-word", 3),
              HasSubstr("\n          second-word\n"));
}

TEST(TextTable, AlignsColumnsWithoutTrailingBlanks) {
  TextTable table(1);
  table.row({"a", "bb", ""});
  table.line("across");
  table.row({"ccc", "d", "e"});
  EXPECT_EQ(table.text(), " a    bb\n across\n ccc  d   e\n");
}

TEST(MarkdownText, LeavesNoMarkup) {
  EXPECT_EQ(markdown_text("a|b `c` <d> &e *f*"),
            "a&#124;b &#96;c&#96; &#60;d&#62; &#38;e &#42;f&#42;");
  EXPECT_EQ(markdown_text("same_numa _em_"), "same_numa &#95;em&#95;");
  EXPECT_EQ(markdown_text("https://x www.y 12:30 v1.2"), "https&#58;//x www&#46;y 12:30 v1.2");
  EXPECT_EQ(markdown_text("@all\x1b\n"), "@<!-- -->all??");
  EXPECT_EQ(markdown_text("[a](b) ![c](d)"), "&#91;a&#93;(b) &#33;&#91;c&#93;(d)");
}

TEST(MarkdownCode, UsesALongerFenceThanTheTextHas) {
  EXPECT_EQ(markdown_code("plain"), "`plain`");
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("`a``"), "``` `a`` ```");
  EXPECT_EQ(markdown_code("a|b\n"), "<code>a&#124;b?</code>");
  EXPECT_EQ(markdown_code("a\\|b"), "<code>a&#92;&#124;b</code>");
  EXPECT_EQ(markdown_code(" "), "");
}

TEST(MarkdownBlock, CannotBeClosedFromWithin) {
  EXPECT_EQ(markdown_block("a\n```\n# b"), "````text\na\n```\n# b\n````");
  EXPECT_EQ(markdown_block("\x1b[1mx"), "```text\n?[1mx\n```");
}

TEST(MarkdownDocument, ClosesAnOpenBlockWhenFull) {
  MarkdownDocument document(600);
  document.begin_details("many");
  document.table({"x"}, std::vector<std::vector<std::string>>(100, {"value"}));
  const std::string text = document.finish();
  EXPECT_LE(text.size(), 600U);
  EXPECT_THAT(text, HasSubstr("</details>"));
  EXPECT_THAT(text, HasSubstr("rows or paragraphs did not fit"));
}

}  // namespace
}  // namespace sglexp
