// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sglexp {

// Tells whether logs go on saying something. Lines that only echo our own polling (access lines of
// GET /health and its like) are not progress: a stuck server writes those for ever.
class LogGrowth {
 public:
  explicit LogGrowth(std::vector<std::string> paths);
  // True if any of the logs has a new telling line since the last call. Missing files are quiet.
  [[nodiscard]] bool advanced();

 private:
  struct Log {
    std::string path;
    std::uint64_t offset = 0;
  };
  [[nodiscard]] static bool read_on(Log& log);
  std::vector<Log> logs_;
};

}  // namespace sglexp
