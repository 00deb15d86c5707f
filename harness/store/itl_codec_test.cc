// SPDX-License-Identifier: Apache-2.0
#include "harness/store/itl_codec.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::HasSubstr;

TEST(ItlCodec, WritesTheDocumentedBytes) {
  // 0 us, 1 token; 300 us (0xAC 0x02), 2 tokens.
  const std::vector<TokenEvent> events = {{5'000'000, 1}, {5'300'000, 3}};
  EXPECT_EQ(encode_itl(events, 5'000'000), std::string("\x01\x00\x01\xAC\x02\x02", 6));
}

TEST(ItlCodec, KeepsEveryMomentToTheMicrosecondWithoutDrift) {
  std::vector<TokenEvent> events;
  for (int i = 0; i < 2000; ++i) {
    events.push_back({1'000 + std::int64_t{i} * 19'999'999, i * 2});
  }
  const std::optional<std::string> blob = encode_itl(events, 1'000);
  ASSERT_TRUE(blob.has_value());
  EXPECT_LT(blob->size(), events.size() * 5);
  const Result<std::vector<TokenEvent>> back = decode_itl(*blob, 1'000);
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_LE((*back)[i].t_ns, events[i].t_ns);
    EXPECT_LT(events[i].t_ns - (*back)[i].t_ns, 1000);
    EXPECT_EQ((*back)[i].tokens, events[i].tokens);
  }
}

TEST(ItlCodec, AnEmptySeriesIsAnEmptySeries) {
  const std::optional<std::string> blob = encode_itl({}, 0);
  ASSERT_TRUE(blob.has_value());
  EXPECT_TRUE(decode_itl(*blob, 0)->empty());
}

TEST(ItlCodec, DoesNotHoldSeriesThatRunBackwards) {
  const std::vector<TokenEvent> time = {{2'000'000, 1}, {1'000'000, 2}};
  const std::vector<TokenEvent> tokens = {{1'000'000, 2}, {2'000'000, 1}};
  const std::vector<TokenEvent> before_base = {{1'000, 1}};
  EXPECT_EQ(encode_itl(time, 0), std::nullopt);
  EXPECT_EQ(encode_itl(tokens, 0), std::nullopt);
  EXPECT_EQ(encode_itl(before_base, 2'000), std::nullopt);
}

TEST(ItlCodec, RefusesDamagedBlobs) {
  EXPECT_THAT(decode_itl("", 0).error().message, HasSubstr("unknown format"));
  EXPECT_THAT(decode_itl("\x02\x01\x01", 0).error().message, HasSubstr("unknown format"));
  EXPECT_THAT(decode_itl("\x01\x80", 0).error().message, HasSubstr("cut short"));
  EXPECT_THAT(decode_itl("\x01\x05", 0).error().message, HasSubstr("cut short"));
  const std::string endless = "\x01" + std::string(20, '\xff');
  EXPECT_FALSE(decode_itl(endless, 0).ok());
  // 2^62 us: would overflow in nanoseconds.
  const std::string far = "\x01" + std::string(8, '\x80') + "\x40\x01";
  EXPECT_THAT(decode_itl(far, 0).error().message, HasSubstr("out of range"));
}

}  // namespace
}  // namespace sglexp
