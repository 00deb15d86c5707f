// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/cache_dirs.h"

#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/sys/file_system.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

Status prove_writable(const std::string& directory) {
  const std::string file = directory + "/.sglexp-write-test";
  SGLEXP_CHECK(write_file_atomic(file, "x"));
  unlink(file.c_str());
  return Ok{};
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

std::string expand_cache_root(const std::string& pattern, const std::string& user,
                              const std::string& job, const std::string& node) {
  std::string out = pattern;
  replace_all(out, "{user}", user);
  replace_all(out, "{job}", job);
  replace_all(out, "{node}", node);
  return out;
}

std::map<std::string, std::string> cache_environment(const std::string& root) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kCaches = {{
      {"XDG_CACHE_HOME", "xdg"},
      {"SGLANG_CACHE_DIR", "sglang"},
      {"VLLM_CACHE_ROOT", "vllm"},
      {"OUTLINES_CACHE_DIR", "outlines"},
      {"TRITON_CACHE_DIR", "triton"},
      {"TORCHINDUCTOR_CACHE_DIR", "inductor"},
      {"TORCH_EXTENSIONS_DIR", "torch_extensions"},
      {"AITER_JIT_DIR", "aiter"},
      {"MIOPEN_USER_DB_PATH", "miopen_db"},
      {"MIOPEN_CUSTOM_CACHE_DIR", "miopen_cache"},
      {"PROMETHEUS_MULTIPROC_DIR", "prometheus"},
  }};
  std::map<std::string, std::string> out;
  for (const auto& [variable, directory] : kCaches) {
    out.emplace(variable, fmt::format("{}/{}", root, directory));
  }
  return out;
}

Status create_cache_dirs(const std::map<std::string, std::string>& environment) {
  for (const auto& [variable, directory] : environment) {
    Status made = make_directories(directory, 0700);
    if (made.ok()) {
      made = prove_writable(directory);
    }
    if (!made.ok()) {
      return with_context(made.error(), variable);
    }
  }
  return Ok{};
}

CacheRootFacts inspect_cache_root(const std::string& root) {
  CacheRootFacts facts;
  Status usable = make_directories(root, 0700);
  if (usable.ok()) {
    usable = prove_writable(root);
  }
  if (!usable.ok()) {
    facts.problem = usable.error().message;
    return facts;
  }
  facts.writable = true;
  const auto kind = file_system_at(root);
  facts.file_system = kind.ok() ? std::string(kind->name) : kind.error().message;
  facts.shared = !kind.ok() || !kind->local;
  return facts;
}

}  // namespace sglexp
