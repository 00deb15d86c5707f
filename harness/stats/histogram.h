// SPDX-License-Identifier: Apache-2.0
// A log-linear histogram of whole numbers (durations in nanoseconds): 64 buckets an octave, so a
// bucket is at most 1/64 = 1.6 % wide and a quantile read from it is off by at most 0.8 %.
// Histograms of the same codec merge exactly: merging then counting equals counting everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/stats/quantiles.h"

namespace sglexp {

// Name of the bucket layout and of the byte format together; stored beside the bytes.
inline constexpr std::string_view kHistogramCodec = "loglin64/1";

class Histogram {
 public:
  // Values below 128 have a bucket of their own; the largest is 2^64 - 1.
  void add(std::uint64_t value, std::uint64_t count = 1);
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t total() const { return total_; }
  // Exact, not bucket edges. Empty for an empty histogram.
  [[nodiscard]] std::optional<std::uint64_t> min() const;
  [[nodiscard]] std::optional<std::uint64_t> max() const;
  // Nearest rank; the middle of the bucket that holds it, kept within min .. max.
  [[nodiscard]] std::optional<double> quantile(Percentile p) const;

  // The buckets that hold something, ascending: for drawing.
  struct Bucket {
    std::uint64_t low = 0;   // first value in the bucket
    std::uint64_t high = 0;  // last value in the bucket
    std::uint64_t count = 0;
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  [[nodiscard]] std::vector<Bucket> buckets() const;

  // LEB128 numbers: min, max, then (buckets skipped, count) for each bucket that holds something.
  // An empty histogram is the empty string.
  [[nodiscard]] std::string serialize() const;
  // kInvalidInput for another codec and for bytes that serialize() cannot have written.
  [[nodiscard]] static Result<Histogram> parse(std::string_view codec, std::string_view bytes);

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  [[nodiscard]] Status parse_buckets(std::string_view bytes);

  std::vector<std::uint64_t> counts_;  // by bucket; the last one is never 0
  std::uint64_t total_ = 0;
  std::uint64_t min_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace sglexp
