// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/hostlist.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {
namespace {

constexpr std::uint64_t kMaxRange = 65536;
constexpr std::size_t kMaxHosts = 262144;
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxDigits = 18;  // every such number fits in 64 bits
constexpr std::string_view kSeparators = ", \t\n";
constexpr std::string_view kBlanks = " \t";

Error bad_list(std::string_view text, const std::string& why) {
  return {ErrorCode::kInvalidInput, fmt::format("host list '{}': {}", printable(text, 120), why)};
}

std::string padded(std::uint64_t value, std::size_t width) {
  return fmt::format("{:0{}}", value, width);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.size() > kMaxDigits || error != std::errc{} ||
      end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// "01-03", "7", "1-" (the same as "1"). Appends the numbers as text. Slurm takes the width of all
// from the characters before the dash, blanks counted: "1 - 2" is 01 02.
Status append_range(std::string_view range, std::vector<std::string>& values) {
  const std::size_t dash = range.find('-');
  const std::string_view low_text = range.substr(0, dash);
  const std::string_view high_text = dash == std::string_view::npos ? "" : range.substr(dash + 1);
  const std::size_t low_digits = std::min(low_text.find_first_not_of(kBlanks), low_text.size());
  const auto low = dash == std::string_view::npos ? parse_number(low_text.substr(low_digits))
                                                  : parse_number(trim(low_text));
  const std::size_t high_digits = std::min(high_text.find_first_not_of(kBlanks), high_text.size());
  const auto high = high_text.empty() ? low : parse_number(high_text.substr(high_digits));
  if (!low || !high) {
    return Error{
        ErrorCode::kInvalidInput,
        fmt::format("'{}' is no number or range; expected e.g. 01-03", printable(range, 60))};
  }
  if (*high < *low) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("range '{}' runs backwards; write {}-{}", range, *high, *low)};
  }
  if (*high - *low >= kMaxRange) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("range '{}' holds more than {} hosts", range, kMaxRange)};
  }
  for (std::uint64_t value = *low; value <= *high; ++value) {
    values.push_back(padded(value, low_text.size()));
  }
  return Ok{};
}

// One name of the list: text and bracket groups in turn. literals.size() == groups.size() + 1.
struct Pattern {
  std::vector<std::string> literals;
  std::vector<std::vector<std::string>> groups;
};

Result<Pattern> parse_pattern(std::string_view name) {
  Pattern pattern;
  std::size_t open = name.find('[');
  // A closing bracket before any opening one is an ordinary character to Slurm.
  pattern.literals.emplace_back(name.substr(0, open));
  while (open != std::string_view::npos) {
    const std::size_t close = name.find(']', open);
    if (close == std::string_view::npos) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("'[' without ']' in '{}'", printable(name, 60))};
    }
    auto& values = pattern.groups.emplace_back();
    for (const std::string& range : split(name.substr(open + 1, close - open - 1), ',')) {
      SGLEXP_CHECK(append_range(range, values));
      if (values.size() > kMaxHosts) {
        return Error{ErrorCode::kInvalidInput, fmt::format("more than {} hosts", kMaxHosts)};
      }
    }
    open = name.find('[', close);
    // 22.05 refuses text after the last bracket. Its meaning is plain, so it is read here.
    const std::string_view literal = name.substr(close + 1, open - close - 1);
    if (literal.find(']') != std::string_view::npos) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("']' without '[' in '{}'", printable(name, 60))};
    }
    pattern.literals.emplace_back(literal);
  }
  return pattern;
}

// Steps to the next combination; false after the last. The last group turns fastest, then the first,
// the second and so on: the order in which Slurm prints n[1-2]x[3-4]y[5-6].
bool next_combination(const Pattern& pattern, std::vector<std::size_t>& at) {
  const std::size_t count = at.size();
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t group = step == 0 ? count - 1 : step - 1;
    if (++at[group] < pattern.groups[group].size()) {
      return true;
    }
    at[group] = 0;
  }
  return false;
}

Status append_hosts(const Pattern& pattern, std::vector<std::string>& hosts, std::size_t& bytes) {
  std::vector<std::size_t> at(pattern.groups.size(), 0);
  do {
    std::string host = pattern.literals.front();
    for (std::size_t i = 0; i < at.size(); ++i) {
      host += pattern.groups[i][at[i]];
      host += pattern.literals[i + 1];
    }
    bytes += host.size();
    if (hosts.size() >= kMaxHosts || bytes > kMaxBytes) {
      return Error{ErrorCode::kInvalidInput, fmt::format("more than {} hosts", kMaxHosts)};
    }
    hosts.push_back(std::move(host));
  } while (next_combination(pattern, at));
  return Ok{};
}

// Where the name that begins at `begin` ends: at a separator outside brackets.
std::size_t end_of_name(std::string_view text, std::size_t begin) {
  bool in_brackets = false;
  std::size_t end = begin;
  while (end < text.size() &&
         (in_brackets || kSeparators.find(text[end]) == std::string_view::npos)) {
    in_brackets = text[end] == '[' || (in_brackets && text[end] != ']');
    ++end;
  }
  return end;
}

struct NumberedName {
  std::string_view prefix;
  std::string_view digits;  // empty: not numbered
};

NumberedName split_number(std::string_view host) {
  const std::size_t last = host.find_last_not_of("0123456789");
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  if (host.size() - begin > kMaxDigits) {
    return {host, ""};
  }
  return {host.substr(0, begin), host.substr(begin)};
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text) {
  std::vector<std::string> hosts;
  std::size_t bytes = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_name(text, begin);
    if (end > begin) {
      const auto pattern = parse_pattern(text.substr(begin, end - begin));
      if (!pattern.ok()) {
        return bad_list(text, pattern.error().message);
      }
      if (const auto status = append_hosts(*pattern, hosts, bytes); !status.ok()) {
        return bad_list(text, status.error().message);
      }
    }
    begin = end + 1;
  }
  return hosts;
}

std::string compress_hosts(std::span<const std::string> hosts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hosts.size();) {
    const NumberedName first = split_number(hosts[i]);
    std::vector<std::string> ranges;
    std::size_t j = i;
    while (j < hosts.size() && !first.digits.empty()) {
      const NumberedName low = split_number(hosts[j]);
      if (low.digits.empty() || low.prefix != first.prefix) {
        break;
      }
      std::uint64_t value = *parse_number(low.digits);
      std::size_t k = j + 1;
      while (k < hosts.size() &&
             hosts[k] == fmt::format("{}{}", low.prefix, padded(value + 1, low.digits.size()))) {
        ++value;
        ++k;
      }
      ranges.push_back(k == j + 1
                           ? std::string(low.digits)
                           : fmt::format("{}-{}", low.digits, padded(value, low.digits.size())));
      j = k;
    }
    if (j <= i + 1) {
      names.push_back(hosts[i]);
      ++i;
    } else {
      names.push_back(fmt::format("{}[{}]", first.prefix, join(ranges, ",")));
      i = j;
    }
  }
  return join(names, ",");
}

}  // namespace sglexp
