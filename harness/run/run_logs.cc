// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_logs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/run/exec_spec.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLineBytes = 1000;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // from the end of one log

template <typename Wanted>
std::vector<fs::path> sorted_entries(const fs::path& directory, Wanted wanted) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (wanted(*entry)) {
      out.push_back(entry->path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> logs_in(const fs::path& directory) {
  return sorted_entries(directory, [](const fs::directory_entry& entry) {
    return entry.path().extension() == ".log";
  });
}

std::vector<fs::path> directories_in(const fs::path& parent) {
  return sorted_entries(parent, [](const fs::directory_entry& entry) {
    std::error_code ignored;
    return entry.is_directory(ignored);
  });
}

// "s07-same_numa": the number decides, since "s100" sorts before "s99".
fs::path newest_slot(const fs::path& slots) {
  const auto age = [](const fs::path& slot) {
    const std::string name = slot.filename().string();
    return std::pair(name.find('-'), name);
  };
  const std::vector<fs::path> all = directories_in(slots);
  const auto newest =
      std::max_element(all.begin(), all.end(),
                       [&](const fs::path& a, const fs::path& b) { return age(a) < age(b); });
  return newest == all.end() ? fs::path() : *newest;
}

std::string tail(const std::string& text, int lines) {
  std::size_t size = text.find_last_not_of(" \t\r\n");
  size = size == std::string::npos ? 0 : size + 1;
  const std::vector<std::string> all = split(std::string_view(text).substr(0, size), '\n');
  const std::size_t wanted = lines > 0 ? static_cast<std::size_t>(lines) : all.size();
  std::string out;
  for (std::size_t i = all.size() - std::min(all.size(), wanted); i < all.size(); ++i) {
    out += printable(all[i], kLineBytes) + "\n";
  }
  return out;
}

Status add_log(const RunDir& dir, const std::string& path, int lines, std::string& out) {
  std::error_code missing;
  const std::uint64_t size = fs::file_size(path, missing);
  if (missing) {
    return Ok{};
  }
  SGLEXP_TRY(const std::string text,
             read_file_from(path, size - std::min(size, kMostBytes), kMostBytes));
  if (!trim(text).empty()) {
    out += fmt::format("==> {} <==\n{}\n", dir.relative(path), tail(text, lines));
  }
  return Ok{};
}

// The node of a process, from what node-exec said about it; before that, from what it was asked.
std::string node_of(const fs::path& log) {
  const auto beside = [&](const char* extension) {
    return read_file(fs::path(log).replace_extension(extension).string(), 4 << 20);
  };
  const auto said = beside(".status.json");
  const auto status = said.ok() ? parse_exec_status(*said) : Result<ExecStatus>(said.error());
  if (status.ok() && !status->checks.empty()) {
    return status->checks.front().node;
  }
  const auto asked = beside(".exec.json");
  const auto spec = asked.ok() ? parse_exec_spec(*asked) : Result<ExecSpec>(asked.error());
  return spec.ok() ? spec->node : "";
}

}  // namespace

Result<std::string> run_logs(const RunDir& dir, const std::string& node, int lines) {
  if (!path_exists(dir.file("run.json"))) {
    return Error{ErrorCode::kNotFound, "the run's directory is gone: " + dir.root()};
  }
  std::string out;
  for (const fs::path& job : directories_in(dir.file("jobs"))) {
    SGLEXP_CHECK(add_log(dir, (job / "batch.log").string(), lines, out));
    for (const fs::path& log : logs_in(job / "nodes")) {
      if (node.empty() || log.filename().string().starts_with(node + ".")) {
        SGLEXP_CHECK(add_log(dir, log.string(), lines, out));
      }
    }
  }
  for (const fs::path& log : logs_in(newest_slot(dir.file("slots")))) {
    if (node.empty() || node_of(log) == node) {
      SGLEXP_CHECK(add_log(dir, log.string(), lines, out));
    }
  }
  if (out.empty()) {
    return node.empty() ? std::string("no log has been written yet\n")
                        : fmt::format("no log of node '{}'\n", printable(node, 60));
  }
  return out;
}

}  // namespace sglexp
