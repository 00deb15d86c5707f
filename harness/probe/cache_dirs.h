// SPDX-License-Identifier: Apache-2.0
// Cache directories of the engines, each private to one node and one job. Compilers and
// SQLite-backed caches corrupt each other when nodes share them over a network file system.
#pragma once

#include <map>
#include <string>

#include "harness/base/result.h"

namespace sglexp {

// "{user}", "{job}" and "{node}" of a profile's cache_root replaced.
[[nodiscard]] std::string expand_cache_root(const std::string& pattern, const std::string& user,
                                            const std::string& job, const std::string& node);

// Environment variable -> directory below `root` for every cache that SGLang, vLLM, AITER, Triton,
// Inductor and MIOpen keep. HF_HOME is left alone: weights are read, not written.
[[nodiscard]] std::map<std::string, std::string> cache_environment(const std::string& root);

// Creates them all (0700) and proves that each can be written. The error names variable and path.
[[nodiscard]] Status create_cache_dirs(const std::map<std::string, std::string>& environment);

struct CacheRootFacts {
  bool writable = false;
  std::string problem;      // the system's words
  std::string file_system;  // "ext4", "tmpfs", "nfs" ...
  bool shared = false;      // not known to be this node's alone
};
[[nodiscard]] CacheRootFacts inspect_cache_root(const std::string& root);

}  // namespace sglexp
