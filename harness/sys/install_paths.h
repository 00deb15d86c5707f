// SPDX-License-Identifier: Apache-2.0
// Where the program, its helpers and its data lie, found relative to the program itself: the build
// tree has the shape of the install tree (bin/, libexec/sglexp/, share/sglexp/).
#pragma once

#include <string>

#include "harness/base/result.h"

namespace sglexp {

struct InstallPaths {
  std::string program;  // absolute path of this executable
  std::string libexec;  // <prefix>/libexec/sglexp
  std::string share;    // <prefix>/share/sglexp
};

[[nodiscard]] Result<InstallPaths> find_install_paths();

}  // namespace sglexp
