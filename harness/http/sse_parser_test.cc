// SPDX-License-Identifier: Apache-2.0
#include "harness/http/sse_parser.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Feeds the pieces in turn, draining after each, and returns "name|data" or just the data.
std::vector<std::string> parse(const std::vector<std::string_view>& pieces) {
  SseParser parser;
  std::vector<std::string> events;
  const auto drain = [&] {
    while (const auto event = parser.next()) {
      events.push_back(event->name.empty()
                           ? std::string(event->data)
                           : std::string(event->name) + "|" + std::string(event->data));
    }
  };
  for (const std::string_view piece : pieces) {
    parser.feed(piece);
    drain();
  }
  parser.finish();
  drain();
  return events;
}

TEST(SseParser, YieldsOneEventPerBlankLine) {
  EXPECT_THAT(parse({"data: {\"a\":1}\n\ndata: [DONE]\n\n"}), ElementsAre("{\"a\":1}", "[DONE]"));
}

TEST(SseParser, AcceptsEveryLineEnd) {
  EXPECT_THAT(parse({"data: a\r\n\r\ndata: b\r\rdata: c\n\n"}), ElementsAre("a", "b", "c"));
}

TEST(SseParser, StripsOneBlankAfterTheColonAndNoMore) {
  EXPECT_THAT(parse({"data:x\n\ndata:  y\n\ndata\n\ndata:\n\n"}), ElementsAre("x", " y", "", ""));
}

TEST(SseParser, JoinsSeveralDataLines) {
  EXPECT_THAT(parse({"data: one\ndata:two\ndata: three\n\n"}), ElementsAre("one\ntwo\nthree"));
}

TEST(SseParser, SkipsCommentsAndOtherFieldsAndNamesTheEvent) {
  EXPECT_THAT(
      parse({": ping\n\nid: 7\nretry: 10\nevent: error\ndata: x\n\nevent: lost\n\ndata: y\n\n"}),
      ElementsAre("error|x", "y"));
}

TEST(SseParser, DropsOneByteOrderMark) {
  EXPECT_THAT(parse({"\xEF\xBB\xBF"
                     "data: a\n\n"}),
              ElementsAre("a"));
  EXPECT_THAT(parse({"\xEF", "\xBB", "\xBF", "data: a\n\n"}), ElementsAre("a"));
  EXPECT_THAT(parse({"\xEF\xBB"}), IsEmpty());
}

TEST(SseParser, CompletesTheLastEventAtTheEndOfTheStream) {
  EXPECT_THAT(parse({"data: a\n\ndata: [DONE]"}), ElementsAre("a", "[DONE]"));
  EXPECT_THAT(parse({"data: [DONE]\n"}), ElementsAre("[DONE]"));
  EXPECT_THAT(parse({""}), IsEmpty());
}

constexpr std::string_view kMixed =
    "\xEF\xBB\xBF: hello\r\n\r\ndata: {\"text\":\"\xC3\xA9\"}\r\n\r\nevent: e\rdata:1\rdata: 2\r\r"
    "data: last\n\ndata: [DONE]";
const auto kMixedEvents = ElementsAre("{\"text\":\"\xC3\xA9\"}", "e|1\n2", "last", "[DONE]");

TEST(SseParser, GivesTheSameEventsForEverySplitPoint) {
  for (std::size_t cut = 0; cut <= kMixed.size(); ++cut) {
    EXPECT_THAT(parse({kMixed.substr(0, cut), kMixed.substr(cut)}), kMixedEvents)
        << "cut at " << cut;
  }
}

TEST(SseParser, GivesTheSameEventsForEveryPairOfSplitPoints) {
  for (std::size_t a = 0; a <= kMixed.size(); ++a) {
    for (std::size_t b = a; b <= kMixed.size(); ++b) {
      ASSERT_THAT(parse({kMixed.substr(0, a), kMixed.substr(a, b - a), kMixed.substr(b)}),
                  kMixedEvents)
          << "cuts at " << a << " and " << b;
    }
  }
}

TEST(SseParser, GivesTheSameEventsByteByByteAndSevenBySeven) {
  for (const std::size_t step : {1U, 7U}) {
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < kMixed.size(); at += step) {
      pieces.push_back(kMixed.substr(at, step));
    }
    EXPECT_THAT(parse(pieces), kMixedEvents);
  }
}

TEST(SseParser, HandsOutALineBeforeTheLineFeedAfterItsReturnCame) {
  SseParser parser;
  parser.feed("data: a\r\n\r");
  ASSERT_TRUE(parser.next().has_value());
  parser.feed("\ndata: b\n\n");
  const auto event = parser.next();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->data, "b");
}

TEST(SseParser, RefusesAnEventLargerThanItsLimit) {
  SseParser parser(100);
  parser.feed("data: " + std::string(60, 'x'));
  EXPECT_FALSE(parser.next().has_value());
  EXPECT_FALSE(parser.overflowed());
  parser.feed(std::string(60, 'x'));
  EXPECT_FALSE(parser.next().has_value());
  EXPECT_TRUE(parser.overflowed());
  parser.feed("\n\ndata: a\n\n");
  EXPECT_FALSE(parser.next().has_value());
  parser.reset();
  parser.feed("data: a\n\n");
  EXPECT_TRUE(parser.next().has_value());
}

TEST(SseParser, BoundsManyDataLinesOfOneEvent) {
  SseParser parser(1000);
  for (int i = 0; i < 100 && !parser.overflowed(); ++i) {
    parser.feed("data: 0123456789\n");
    EXPECT_FALSE(parser.next().has_value());
  }
  EXPECT_TRUE(parser.overflowed());
}

TEST(SseParser, LongStreamsDoNotGrowItsBuffer) {
  SseParser parser(4096);
  const std::string event = ": comment\ndata: " + std::string(3000, 'x') + "\n\n";
  for (int i = 0; i < 1000; ++i) {
    parser.feed(event);
    const auto got = parser.next();
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(got->data.size(), 3000U);
    ASSERT_FALSE(parser.next().has_value());
  }
  EXPECT_FALSE(parser.overflowed());
}

TEST(SseParser, LeavesReadableBytesAfterEveryEvent) {
  // Only an address sanitizer can see a violation; reading the bytes gives it the chance.
  SseParser parser;
  parser.feed("data: a\n\ndata: 1\ndata: 2\n\ndata: end");
  int seen = 0;
  int sum = 0;
  const auto touch = [&](const SseEvent& event) {
    ++seen;
    for (std::size_t i = 0; i < SseParser::kPadding; ++i) {
      sum += event.data.data()[event.data.size() + i];
    }
  };
  while (const auto event = parser.next()) {
    touch(*event);
  }
  parser.finish();
  while (const auto event = parser.next()) {
    touch(*event);
  }
  EXPECT_EQ(seen, 3);
  EXPECT_NE(sum, -1);
}

}  // namespace
}  // namespace sglexp
