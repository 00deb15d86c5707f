// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/histogram.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace sglexp {
namespace {

constexpr unsigned kSubBits = 6;  // 64 buckets an octave
constexpr std::uint64_t kSub = 1ULL << kSubBits;
constexpr std::uint64_t kMillion = 1'000'000;

// Below 2 * kSub a bucket holds one value and its index is the value; above, the leading one and
// the six bits after it choose the bucket.
constexpr std::size_t bucket_of(std::uint64_t value) {
  if (value < kSub) {
    return value;
  }
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
  return shift * kSub + (value >> shift);
}

constexpr std::uint64_t bucket_low(std::size_t bucket) {
  if (bucket < 2 * kSub) {
    return bucket;
  }
  const std::uint64_t shift = bucket / kSub - 1;
  return (bucket - shift * kSub) << shift;
}

constexpr std::uint64_t bucket_high(std::size_t bucket) {
  return bucket < 2 * kSub ? bucket : bucket_low(bucket) + ((1ULL << (bucket / kSub - 1)) - 1);
}

constexpr std::size_t kBuckets = bucket_of(std::numeric_limits<std::uint64_t>::max()) + 1;
static_assert(bucket_low(bucket_of(1000)) <= 1000 && bucket_high(bucket_of(1000)) >= 1000);
static_assert(bucket_high(kBuckets - 1) == std::numeric_limits<std::uint64_t>::max());

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// Takes one number off the front; empty where the bytes end early or the number exceeds 64 bits.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::uint64_t part = byte & 0x7fU;
    if (shift == 63 && part > 1) {
      return std::nullopt;
    }
    value |= part << shift;
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
  return std::nullopt;
}

Error damaged(const std::string& what) {
  return {ErrorCode::kInvalidInput, "histogram bytes are damaged: " + what};
}

}  // namespace

void Histogram::add(std::uint64_t value, std::uint64_t count) {
  if (count == 0) {
    return;
  }
  const std::size_t bucket = bucket_of(value);
  if (bucket >= counts_.size()) {
    counts_.resize(bucket + 1);
  }
  counts_[bucket] += count;
  min_ = total_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  total_ += count;
}

void Histogram::merge(const Histogram& other) {
  if (other.total_ == 0) {
    return;
  }
  counts_.resize(std::max(counts_.size(), other.counts_.size()));
  for (std::size_t i = 0; i < other.counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
  min_ = total_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  total_ += other.total_;
}

std::optional<std::uint64_t> Histogram::min() const {
  return total_ == 0 ? std::nullopt : std::optional(min_);
}

std::optional<std::uint64_t> Histogram::max() const {
  return total_ == 0 ? std::nullopt : std::optional(max_);
}

std::optional<double> Histogram::quantile(Percentile p) const {
  if (total_ == 0 || p.ppm < 0 || p.ppm > static_cast<std::int64_t>(kMillion)) {
    return std::nullopt;
  }
  const auto ppm = static_cast<std::uint64_t>(p.ppm);
  // ceil(total * ppm / 10^6) without overflow for any total.
  const std::uint64_t rank = std::max<std::uint64_t>(
      1, total_ / kMillion * ppm + (total_ % kMillion * ppm + kMillion - 1) / kMillion);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (seen + counts_[bucket] < rank) {
    seen += counts_[bucket++];
  }
  const auto low = static_cast<double>(std::max(bucket_low(bucket), min_));
  const auto high = static_cast<double>(std::min(bucket_high(bucket), max_));
  return low + (high - low) / 2;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> filled;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) {
      filled.push_back({bucket_low(i), bucket_high(i), counts_[i]});
    }
  }
  return filled;
}

std::string Histogram::serialize() const {
  std::string out;
  if (total_ == 0) {
    return out;
  }
  put_varint(out, min_);
  put_varint(out, max_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) {
      put_varint(out, i - next);
      put_varint(out, counts_[i]);
      next = i + 1;
    }
  }
  return out;
}

Result<Histogram> Histogram::parse(std::string_view codec, std::string_view bytes) {
  if (codec != kHistogramCodec) {
    return Error{ErrorCode::kInvalidInput, "histogram codec '" + std::string(codec) +
                                               "' is not known here, expected '" +
                                               std::string(kHistogramCodec) + "'"};
  }
  Histogram histogram;
  if (bytes.empty()) {
    return histogram;
  }
  const auto min = take_varint(bytes);
  const auto max = take_varint(bytes);
  if (!min || !max) {
    return damaged("cut short within minimum and maximum");
  }
  SGLEXP_CHECK(histogram.parse_buckets(bytes));
  const auto first = std::ranges::find_if(histogram.counts_, [](auto c) { return c != 0; });
  const auto first_bucket = static_cast<std::size_t>(first - histogram.counts_.begin());
  if (histogram.total_ == 0 || *min > *max || bucket_of(*min) != first_bucket ||
      bucket_of(*max) + 1 != histogram.counts_.size()) {
    return damaged("minimum and maximum do not fit the buckets");
  }
  histogram.min_ = *min;
  histogram.max_ = *max;
  return histogram;
}

Status Histogram::parse_buckets(std::string_view bytes) {
  std::size_t next = 0;
  while (!bytes.empty()) {
    const auto gap = take_varint(bytes);
    const auto count = take_varint(bytes);
    if (!gap || !count || *count == 0) {
      return damaged("a bucket is cut short or empty");
    }
    if (*gap >= kBuckets - next) {
      return damaged("a bucket lies beyond the last one");
    }
    if (*count > std::numeric_limits<std::uint64_t>::max() - total_) {
      return damaged("the counts overflow");
    }
    next += *gap;
    counts_.resize(next + 1);
    counts_[next++] = *count;
    total_ += *count;
  }
  return Ok{};
}

}  // namespace sglexp
