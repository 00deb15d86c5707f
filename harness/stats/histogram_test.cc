// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "harness/base/random.h"

namespace sglexp {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

Histogram of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const auto v : values) {
    histogram.add(v);
  }
  return histogram;
}

// Log-normal around 10 ms with a long tail, in nanoseconds.
std::vector<std::uint64_t> latencies(std::uint64_t seed, int n) {
  Rng rng(seed);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(static_cast<std::uint64_t>(1e7 * std::exp(0.8 * rng.normal())));
  }
  return values;
}

TEST(Histogram, BucketsTileTheWholeRangeWithoutGapOrOverlap) {
  Histogram histogram;
  for (int bit = 0; bit < 64; ++bit) {
    for (std::uint64_t step = 0; step < 256; ++step) {
      const std::uint64_t base = 1ULL << bit;
      histogram.add(base + base / 256 * step);
    }
  }
  histogram.add(0);
  const auto buckets = histogram.buckets();
  EXPECT_EQ(buckets.front().low, 0U);
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    ASSERT_GE(buckets[i].low, buckets[i - 1].high + 1) << i;
    ASSERT_LE(buckets[i].high - buckets[i].low, buckets[i].low / 64) << i;
  }
  EXPECT_EQ(buckets.back().high, kMost);
}

TEST(Histogram, QuantilesAreWithinEightTenthsOfAPercent) {
  auto values = latencies(1, 20'000);
  const Histogram histogram = of(values);
  std::ranges::sort(values);
  for (const double p : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9}) {
    const auto rank = static_cast<std::size_t>(std::ceil(p * 200)) - 1;
    const auto exact = static_cast<double>(values[rank]);
    EXPECT_NEAR(*histogram.quantile(percentile(p)), exact, 0.008 * exact) << p;
  }
  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
}

TEST(Histogram, MergeEqualsCountingEverything) {
  const auto a = latencies(1, 500);
  const auto b = latencies(2, 700);
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  Histogram merged = of(a);
  merged.merge(of(b));
  EXPECT_EQ(merged, of(both));
  Histogram other_way = of(b);
  other_way.merge(of(a));
  EXPECT_EQ(merged, other_way);
  merged.merge(Histogram());
  EXPECT_EQ(merged, of(both));
}

TEST(Histogram, BytesComeBackEqualAndStaySmall) {
  const Histogram histogram = of(latencies(3, 200'000));
  const std::string bytes = histogram.serialize();
  EXPECT_LT(bytes.size(), 2'000U);
  const auto back = Histogram::parse(kHistogramCodec, bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, histogram);
  EXPECT_EQ(back->serialize(), bytes);
}

TEST(Histogram, ExtremesSurvive) {
  Histogram histogram;
  histogram.add(0, 3);
  histogram.add(kMost, 2);
  const auto back = Histogram::parse(kHistogramCodec, histogram.serialize());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, histogram);
  EXPECT_EQ(back->quantile(percentile(60)), 0);
  EXPECT_EQ(back->quantile(percentile(61)), back->quantile(percentile(100)));
}

TEST(Histogram, EmptyHasNoQuantile) {
  EXPECT_FALSE(Histogram().quantile(percentile(50)));
  EXPECT_FALSE(Histogram().min());
  EXPECT_EQ(Histogram().serialize(), "");
  const auto back = Histogram::parse(kHistogramCodec, "");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->total(), 0U);
  EXPECT_FALSE(of({1}).quantile(percentile(101)));
}

TEST(Histogram, ForeignCodecIsNamed) {
  const auto back = Histogram::parse("hdr/2", "abc");
  ASSERT_FALSE(back.ok());
  EXPECT_NE(back.error().message.find("hdr/2"), std::string::npos);
}

TEST(Histogram, EveryCutAndFlippedByteIsRefusedOrStillConsistent) {
  const std::string bytes = of(latencies(4, 50)).serialize();
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(Histogram::parse(kHistogramCodec, bytes.substr(0, cut)).ok()) << cut;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const auto back = Histogram::parse(kHistogramCodec, bad);
      if (back.ok()) {
        EXPECT_EQ(*Histogram::parse(kHistogramCodec, back->serialize()), *back);
        EXPECT_TRUE(back->quantile(percentile(99)).has_value());
      }
    }
  }
}

TEST(Histogram, OverflowingCountsAreRefused) {
  Histogram histogram;
  histogram.add(1, kMost);
  std::string bytes = histogram.serialize();
  bytes[1] = 2;  // maximum 2, and then a bucket for it
  bytes += std::string("\x00\x01", 2);
  EXPECT_FALSE(Histogram::parse(kHistogramCodec, bytes).ok());
}

}  // namespace
}  // namespace sglexp
