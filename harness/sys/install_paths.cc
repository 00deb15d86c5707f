// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/install_paths.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace sglexp {

Result<InstallPaths> find_install_paths() {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) {
    return Error{ErrorCode::kInternal, fmt::format("/proc/self/exe: {}", failed.message())};
  }
  const fs::path prefix = program.parent_path().parent_path();
  return InstallPaths{.program = program.string(),
                      .libexec = (prefix / "libexec/sglexp").string(),
                      .share = (prefix / "share/sglexp").string()};
}

}  // namespace sglexp
