// SPDX-License-Identifier: Apache-2.0
// Which file system a directory lies on, and whether other machines may write there too: databases
// and compiler caches break when nodes share them over a network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace sglexp {

struct FileSystemKind {
  std::uint64_t magic = 0;  // f_type of statfs(2)
  std::string_view name;
  bool local = false;
};

// One that is not in the table is {magic, "unknown", false}.
[[nodiscard]] FileSystemKind file_system_kind(std::uint64_t magic);

[[nodiscard]] Result<FileSystemKind> file_system_at(const std::string& directory);

}  // namespace sglexp
