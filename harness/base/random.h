// SPDX-License-Identifier: Apache-2.0
// Seeded randomness with the same results on every machine and standard library.
// One stream per purpose (arrivals, prompts, block order ...), so that drawing more from one never
// shifts another.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

namespace sglexp {

// FNV-1a, 64 bit. Not cryptographic: names streams and buckets only.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

// SplitMix64 (Steele, Lea, Flood 2014): passes BigCrush, 64-bit state, trivially seedable.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  Rng(std::uint64_t seed, std::string_view stream) : state_(seed ^ fnv1a(stream)) { next(); }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Uniform in [0, bound), bound > 0, without modulo bias.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = (0 - bound) % bound;
    std::uint64_t x = next();
    while (x < limit) {
      x = next();
    }
    return x % bound;
  }
  // Standard normal (Box-Muller; one of the pair is dropped so that draws stay independent of
  // calls).
  double normal() {
    const double u = 1.0 - uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * uniform());
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(i)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace sglexp
