// SPDX-License-Identifier: Apache-2.0
// Files as the harness needs them: whole reads, atomic writes, durable appends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace sglexp {

// kNotFound if it does not exist; refuses more than max_bytes (kInvalidInput).
[[nodiscard]] Result<std::string> read_file(const std::string& path,
                                            std::uint64_t max_bytes = std::uint64_t{1} << 30);
// Reads from `offset` to the end of file (at most max_bytes); an offset past the end gives "".
[[nodiscard]] Result<std::string> read_file_from(const std::string& path, std::uint64_t offset,
                                                 std::uint64_t max_bytes = std::uint64_t{64} << 20);
// Write to a temporary name beside it, fsync, rename: readers see the old file or the new one.
[[nodiscard]] Status write_file_atomic(const std::string& path, std::string_view bytes,
                                       unsigned mode = 0644);
// mkdir -p; existing directories are fine.
[[nodiscard]] Status make_directories(const std::string& path, unsigned mode = 0755);
[[nodiscard]] bool path_exists(const std::string& path);
// Removes the tree at `path` if and only if it lies strictly below `root`; never follows links out.
[[nodiscard]] Status remove_tree(const std::string& path, const std::string& root);

// A private directory under $TMPDIR that its destructor removes. For tests and short-lived work.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sglexp
