// SPDX-License-Identifier: Apache-2.0
#include "harness/topology/kfd_nodes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 16;  // sysfs attributes are at most one page

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

// Subdirectories whose name is a number, in numeric order.
std::vector<int> numbered_entries(const fs::path& directory) {
  std::vector<int> numbers;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const auto number = parse_unsigned(it->path().filename().string());
    if (number && *number < 1 << 16) {
      numbers.push_back(static_cast<int>(*number));
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Lines that are not "key number" are left out: kernels add keys, and not all are numbers.
KfdProperties parse_properties(std::string_view text) {
  KfdProperties properties;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view words = trim(line);
    const std::size_t blank = words.find(' ');
    if (blank == std::string_view::npos) {
      continue;
    }
    if (const auto value = parse_unsigned(trim(words.substr(blank)))) {
      properties.emplace(words.substr(0, blank), *value);
    }
  }
  return properties;
}

std::vector<KfdLink> read_links(const fs::path& directory) {
  std::vector<KfdLink> links;
  for (const int number : numbered_entries(directory)) {
    const auto text =
        read_file((directory / std::to_string(number) / "properties").string(), kMostBytes);
    if (!text.ok()) {
      continue;  // a link of a GPU that is hidden from this process
    }
    const KfdProperties properties = parse_properties(text.value());
    const auto value = [&](const char* key) {
      const auto found = properties.find(key);
      return found == properties.end() ? std::uint64_t{0} : found->second;
    };
    if (properties.contains("node_to")) {
      links.push_back({value("type"),
                       static_cast<int>(std::min<std::uint64_t>(value("node_to"), 1 << 16)),
                       static_cast<int>(std::min<std::uint64_t>(value("weight"), 1 << 16))});
    }
  }
  return links;
}

}  // namespace

Result<KfdNodes> read_kfd_nodes(const std::string& root) {
  const fs::path directory = fs::path(root) / "sys/class/kfd/kfd/topology/nodes";
  if (!path_exists(directory.string())) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("no AMD GPU driver: {} does not exist (is the amdgpu module loaded, and "
                    "is /sys visible in this container?)",
                    directory.string())};
  }
  KfdNodes out;
  for (const int id : numbered_entries(directory)) {
    const fs::path node = directory / std::to_string(id);
    const auto gpu_id = read_file((node / "gpu_id").string(), kMostBytes);
    const auto properties = read_file((node / "properties").string(), kMostBytes);
    if (!gpu_id.ok() || !properties.ok()) {
      ++out.hidden;
      continue;
    }
    const auto number = parse_unsigned(trim(gpu_id.value()));
    if (!number) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("{}: expected a number, got '{}'", (node / "gpu_id").string(),
                               printable(trim(gpu_id.value()), 60))};
    }
    out.nodes.push_back({id, *number != 0, parse_properties(properties.value()),
                         read_links(node / "io_links"), read_links(node / "p2p_links")});
  }
  return out;
}

}  // namespace sglexp
