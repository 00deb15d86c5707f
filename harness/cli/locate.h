// SPDX-License-Identifier: Apache-2.0
// Names on the command line -> files. A word with a slash or ending in .yaml is a path; any other is
// looked for in the user's own directory first, then among the files that ship.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/sys/install_paths.h"

namespace sglexp {

struct NamedFile {
  std::string name;
  std::string path;
};

// All scenarios that a bare name can mean, by name.
[[nodiscard]] std::vector<NamedFile> list_scenarios(const InstallPaths& paths);
[[nodiscard]] std::vector<NamedFile> list_profiles(const InstallPaths& paths);

[[nodiscard]] Result<std::string> locate_scenario(const std::string& word,
                                                  const InstallPaths& paths);
// `word` empty: $SGLEXP_CLUSTER; without that kInvalidInput with the list. Never the mock by default.
[[nodiscard]] Result<std::string> locate_profile(const std::string& word,
                                                 const InstallPaths& paths);

// --db, else $SGLEXP_DB, else $XDG_DATA_HOME/sglexp/sglexp.db; absolute.
[[nodiscard]] Result<std::string> database_path(const std::string& option);
// --runs, else the profile's shared directory, else "runs" beside the database; absolute.
[[nodiscard]] Result<std::string> runs_path(const std::string& option,
                                            const std::string& profile_runs_dir,
                                            const std::string& database);

}  // namespace sglexp
