// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/proc_fs.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

constexpr std::uint64_t kMostBytes = 4 << 20;

std::string proc_path(pid_t pid, std::string_view file) {
  return fmt::format("/proc/{}/{}", pid, file);
}

std::vector<pid_t> all_pids() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir("/proc"), &closedir);
  while (dir) {
    const dirent* entry = readdir(dir.get());
    if (entry == nullptr) {
      break;
    }
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc{} && end == name.data() + name.size()) {
      pids.push_back(pid);
    }
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

// Fields after the command name, which may itself hold blanks and brackets: state is [0].
std::vector<std::string> stat_fields(pid_t pid) {
  const auto text = read_file(proc_path(pid, "stat"), kMostBytes);
  if (!text.ok()) {
    return {};
  }
  const std::size_t bracket = text->rfind(')');
  if (bracket == std::string::npos || bracket + 2 >= text->size()) {
    return {};
  }
  return split(std::string_view(*text).substr(bracket + 2), ' ');
}

constexpr std::size_t kStateField = 0;
constexpr std::size_t kParentField = 1;
constexpr std::size_t kStartField = 19;  // field 22 of the man page, counted after ")"

std::optional<ProcessInfo> process_info(pid_t pid) {
  const std::vector<std::string> fields = stat_fields(pid);
  if (fields.size() <= kStartField || fields[kStateField] == "Z" || fields[kStateField] == "X") {
    return std::nullopt;
  }
  ProcessInfo info{.pid = pid};
  std::from_chars(fields[kParentField].data(),
                  fields[kParentField].data() + fields[kParentField].size(), info.parent);
  std::from_chars(fields[kStartField].data(),
                  fields[kStartField].data() + fields[kStartField].size(), info.start_ticks);
  if (auto command = read_file(proc_path(pid, "cmdline"), kMostBytes); command.ok()) {
    std::replace(command->begin(), command->end(), '\0', ' ');
    info.command = printable(trim(*command), 200);
  }
  return info;
}

bool holds(std::string_view environment, const std::string& assignment) {
  while (!environment.empty()) {
    const std::size_t end = environment.find('\0');
    if (environment.substr(0, end) == assignment) {
      return true;
    }
    environment.remove_prefix(end == std::string_view::npos ? environment.size() : end + 1);
  }
  return false;
}

}  // namespace

std::vector<ProcessInfo> processes_with_env(std::string_view name, std::string_view value) {
  const std::string assignment = fmt::format("{}={}", name, value);
  std::vector<ProcessInfo> found;
  for (const pid_t pid : all_pids()) {
    const auto environment = read_file(proc_path(pid, "environ"), kMostBytes);
    if (environment.ok() && holds(*environment, assignment)) {
      if (auto info = process_info(pid)) {
        found.push_back(std::move(*info));
      }
    }
  }
  return found;
}

bool signal_process(const ProcessInfo& process, int number) {
  const auto now = process_info(process.pid);
  return now && now->start_ticks == process.start_ticks && kill(process.pid, number) == 0;
}

Result<std::map<std::string, std::string>> process_environment(pid_t pid) {
  SGLEXP_TRY(const std::string text, read_file(proc_path(pid, "environ"), kMostBytes));
  std::map<std::string, std::string> out;
  for (const std::string& entry : split(text, '\0')) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) {
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return out;
}

std::optional<std::string> process_status_field(pid_t pid, std::string_view field) {
  const auto text = read_file(proc_path(pid, "status"), kMostBytes);
  if (!text.ok()) {
    return std::nullopt;
  }
  for (const std::string& line : split(*text, '\n')) {
    if (line.size() > field.size() && line.starts_with(field) && line[field.size()] == ':') {
      return std::string(trim(std::string_view(line).substr(field.size() + 1)));
    }
  }
  return std::nullopt;
}

}  // namespace sglexp
