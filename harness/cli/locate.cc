// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/locate.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<std::string> home_based(const char* xdg_variable, const char* below_home) {
  if (const std::string base = variable(xdg_variable); !base.empty()) {
    return base;
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    return home + "/" + below_home;
  }
  return Error{
      ErrorCode::kInvalidInput,
      fmt::format("neither {} nor HOME is set: name the path on the command line", xdg_variable)};
}

void add_files(const std::string& directory, std::map<std::string, std::string>& into) {
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->path().extension() == ".yaml") {
      into.emplace(entry->path().stem().string(), entry->path().string());
    }
  }
}

// The user's files hide shipped ones of the same name.
std::vector<NamedFile> list_files(const std::string& user_directory,
                                  const std::string& shipped_directory) {
  std::map<std::string, std::string> found;
  if (const auto config = home_based("XDG_CONFIG_HOME", ".config"); config.ok()) {
    add_files(*config + "/sglexp/" + user_directory, found);
  }
  add_files(shipped_directory, found);
  std::vector<NamedFile> out;
  for (const auto& [name, path] : found) {
    out.push_back({.name = name, .path = path});
  }
  return out;
}

Result<std::string> locate(const std::string& word, const std::string& kind,
                           const std::vector<NamedFile>& known) {
  if (word.find('/') != std::string::npos || word.ends_with(".yaml")) {
    if (path_exists(word)) {
      return word;
    }
    return Error{ErrorCode::kNotFound, fmt::format("no {} file {}", kind, word)};
  }
  std::vector<std::string> names;
  for (const NamedFile& file : known) {
    if (file.name == word) {
      return file.path;
    }
    names.push_back(file.name);
  }
  const auto suggestion = nearest(word, names);
  return Error{ErrorCode::kNotFound,
               fmt::format("no {} '{}'{}; there are: {}", kind, printable(word, 60),
                           suggestion ? fmt::format(" (did you mean '{}'?)", *suggestion) : "",
                           fmt::join(names, ", "))};
}

Result<std::string> absolute(const std::string& path) {
  std::error_code failed;
  const fs::path full = fs::absolute(path, failed).lexically_normal();
  if (failed) {
    return Error{ErrorCode::kInvalidInput, fmt::format("{}: {}", path, failed.message())};
  }
  return full.string();
}

}  // namespace

std::vector<NamedFile> list_scenarios(const InstallPaths& paths) {
  return list_files("scenarios", paths.share + "/scenarios");
}

std::vector<NamedFile> list_profiles(const InstallPaths& paths) {
  return list_files("clusters", paths.share + "/scenarios/clusters");
}

Result<std::string> locate_scenario(const std::string& word, const InstallPaths& paths) {
  return locate(word, "scenario", list_scenarios(paths));
}

Result<std::string> locate_profile(const std::string& word, const InstallPaths& paths) {
  const std::string chosen = word.empty() ? variable("SGLEXP_CLUSTER") : word;
  const std::vector<NamedFile> known = list_profiles(paths);
  if (chosen.empty()) {
    std::string names;
    for (const NamedFile& file : known) {
      names += (names.empty() ? "" : ", ") + file.name;
    }
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("which cluster? Name a profile with --cluster NAME, or set "
                             "SGLEXP_CLUSTER. Profiles: {}. "
                             "('mock' is a simulated cluster on this machine.)",
                             names)};
  }
  return locate(chosen, "cluster profile", known);
}

Result<std::string> database_path(const std::string& option) {
  if (!option.empty()) {
    return absolute(option);
  }
  if (const std::string from_environment = variable("SGLEXP_DB"); !from_environment.empty()) {
    return absolute(from_environment);
  }
  SGLEXP_TRY(const std::string base, home_based("XDG_DATA_HOME", ".local/share"));
  return absolute(base + "/sglexp/sglexp.db");
}

Result<std::string> runs_path(const std::string& option, const std::string& profile_runs_dir,
                              const std::string& database) {
  if (!option.empty()) {
    return absolute(option);
  }
  if (!profile_runs_dir.empty()) {
    return absolute(profile_runs_dir);
  }
  return absolute((fs::path(database).parent_path() / "runs").string());
}

}  // namespace sglexp
