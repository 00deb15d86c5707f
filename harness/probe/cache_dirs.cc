// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/cache_dirs.h"

#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/sys/files.h"

namespace sglexp {

namespace {

struct FileSystemRow {
  std::uint64_t magic;
  std::string_view name;
  bool network;
};

// statfs(2) f_type values, from linux/magic.h and the file systems' own sources.
constexpr std::array kFileSystems = {
    FileSystemRow{0xEF53, "ext", false},
    FileSystemRow{0x58465342, "xfs", false},
    FileSystemRow{0x9123683E, "btrfs", false},
    FileSystemRow{0x01021994, "tmpfs", false},
    FileSystemRow{0x794C7630, "overlayfs", false},
    FileSystemRow{0x2FC12FC1, "zfs", false},
    FileSystemRow{0x6969, "nfs", true},
    FileSystemRow{0x0BD00BD0, "lustre", true},
    FileSystemRow{0x47504653, "gpfs", true},
    FileSystemRow{0xFF534D42, "cifs", true},
    FileSystemRow{0xFE534D42, "smb2", true},
    FileSystemRow{0x00C36400, "ceph", true},
    FileSystemRow{0x19830326, "beegfs", true},
    FileSystemRow{0x65735546, "fuse", true},
};

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
  struct statfs info {};
  if (statfs(root.c_str(), &info) != 0) {
    facts.problem = std::strerror(errno);
    return facts;
  }
  const auto magic = static_cast<std::uint64_t>(info.f_type) & 0xFFFFFFFF;
  facts.file_system = fmt::format("0x{:x}", magic);
  for (const FileSystemRow& row : kFileSystems) {
    if (row.magic == magic) {
      facts.file_system = row.name;
      facts.network = row.network;
    }
  }
  return facts;
}

}  // namespace sglexp
