// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/digest.h"
#include "harness/base/random.h"
#include "harness/base/result.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Duration, ParsesEveryUnit) {
  EXPECT_EQ(parse_duration("250ms").value(), Millis(250));
  EXPECT_EQ(parse_duration("1.5s").value(), Millis(1500));
  EXPECT_EQ(parse_duration(" 20m ").value(), Seconds(1200));
  EXPECT_EQ(parse_duration("2 h").value(), Seconds(7200));
  EXPECT_EQ(parse_duration("1d").value(), Seconds(86400));
}

TEST(Duration, RefusesABareNumberAndSaysWhatToWrite) {
  const auto result = parse_duration("20");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(result.error().message, HasSubstr("20m"));
  for (const char* bad : {"", "s", "-1s", "1e300s", "nans", "infs", "1s2", "1S"}) {
    EXPECT_FALSE(parse_duration(bad).ok()) << bad;
  }
}

TEST(Duration, FormatsWithOneExactUnit) {
  EXPECT_EQ(format_duration(Seconds(90)), "90s");
  EXPECT_EQ(format_duration(Seconds(3600)), "1h");
  EXPECT_EQ(format_duration(Millis(1500)), "1500ms");
  EXPECT_EQ(format_duration(Nanos(0)), "0s");
  EXPECT_EQ(describe_duration(Millis(350)), "350 ms");
  EXPECT_EQ(describe_duration(Seconds(7500)), "2 h 05 min");
}

TEST(Size, UsesPowersOf1024Only) {
  EXPECT_EQ(parse_size("256GiB").value(), 256LL << 30);
  EXPECT_FALSE(parse_size("256GB").ok());
  EXPECT_EQ(format_size(64LL << 20), "64MiB");
}

TEST(Percent, NeedsTheSign) {
  EXPECT_DOUBLE_EQ(parse_percent("3%").value(), 0.03);
  EXPECT_FALSE(parse_percent("0.03").ok());
  EXPECT_FALSE(parse_percent("nan%").ok());
}

TEST(Nearest, FindsTheLikelyMisspelling) {
  const std::vector<std::string> keys = {"placement", "allocation", "engine"};
  EXPECT_EQ(nearest("placment", keys), "placement");
  EXPECT_EQ(nearest("zzzzzzzz", keys), std::nullopt);
}

TEST(Printable, TurnsControlSequencesAndBadUtf8IntoQuestionMarks) {
  EXPECT_EQ(printable("\x1b[31mred\x07"), "?[31mred?");
  EXPECT_EQ(printable("caf\xc3\xa9 \xff"), "caf\xc3\xa9 ?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(ShellQuote, KeepsHostileTextOneWord) {
  EXPECT_EQ(shell_quote("plain-word"), "plain-word");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("$(reboot)'"), "'$(reboot)'\\'''");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(Ranges, RoundTrip) {
  const std::vector<int> cpus = {0, 1, 2, 3, 8};
  EXPECT_EQ(format_ranges(cpus), "0-3,8");
  EXPECT_EQ(parse_ranges("0-3,8"), cpus);
  EXPECT_EQ(parse_ranges(""), std::vector<int>{});
  for (const char* bad : {"3-1", "a", "1-", "-1", "0-2000000000", "1,,2"}) {
    EXPECT_EQ(parse_ranges(bad), std::nullopt) << bad;
  }
}

TEST(Rng, IsTheSameEverywhere) {
  Rng rng(42);
  EXPECT_EQ(rng.next(), 13679457532755275413ULL);  // SplitMix64's published sequence for seed 42
  EXPECT_EQ(rng.next(), 2949826092126892291ULL);
  std::vector<int> items = {1, 2, 3, 4, 5};
  Rng(7, "order").shuffle(items);
  std::vector<int> again = {1, 2, 3, 4, 5};
  Rng(7, "order").shuffle(again);
  EXPECT_EQ(items, again);
}

TEST(Digest, MatchesThePublishedVector) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Uuid, IsVersion4AndUnique) {
  const std::string a = make_uuid();
  EXPECT_EQ(a.size(), 36U);
  EXPECT_EQ(a[14], '4');
  EXPECT_NE(a, make_uuid());
}

Result<int> half(int x) {
  if (x % 2 != 0) {
    return Error{ErrorCode::kInvalidInput, "odd"};
  }
  return x / 2;
}

Result<int> quarter(int x) {
  SGLEXP_TRY(const int h, half(x));
  return half(h);
}

TEST(ResultMacro, ReturnsTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
}

}  // namespace
}  // namespace sglexp
