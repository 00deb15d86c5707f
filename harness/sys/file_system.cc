// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

// linux/magic.h, and the file systems' own sources for those that live outside the kernel tree.
constexpr std::array kFileSystems = {
    FileSystemKind{0xEF53, "ext4", true},          FileSystemKind{0x58465342, "xfs", true},
    FileSystemKind{0x9123683E, "btrfs", true},     FileSystemKind{0x01021994, "tmpfs", true},
    FileSystemKind{0x858458F6, "ramfs", true},     FileSystemKind{0x2FC12FC1, "zfs", true},
    FileSystemKind{0xF2F52010, "f2fs", true},      FileSystemKind{0xCA451A4E, "bcachefs", true},
    FileSystemKind{0x794C7630, "overlayfs", true}, FileSystemKind{0x6969, "nfs", false},
    FileSystemKind{0x0BD00BD0, "lustre", false},   FileSystemKind{0x47504653, "gpfs", false},
    FileSystemKind{0xFF534D42, "cifs", false},     FileSystemKind{0xFE534D42, "smb2", false},
    FileSystemKind{0x517B, "smb", false},          FileSystemKind{0x00C36400, "cephfs", false},
    FileSystemKind{0x19830326, "beegfs", false},   FileSystemKind{0x65735546, "fuse", false},
    FileSystemKind{0x01021997, "9p", false},       FileSystemKind{0x5346414F, "afs", false},
};

}  // namespace

FileSystemKind file_system_kind(std::uint64_t magic) {
  const auto* const found =
      std::find_if(kFileSystems.begin(), kFileSystems.end(),
                   [&](const FileSystemKind& kind) { return kind.magic == magic; });
  return found == kFileSystems.end() ? FileSystemKind{magic, "unknown", false} : *found;
}

Result<FileSystemKind> file_system_at(const std::string& directory) {
  struct statfs info {};
  if (statfs(directory.c_str(), &info) != 0) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: {}", printable(directory), std::strerror(errno))};
  }
  // The magic is 32 bits; f_type is a signed long, so CIFS and its like would sign-extend.
  return file_system_kind(static_cast<std::uint64_t>(info.f_type) & 0xFFFFFFFFU);
}

}  // namespace sglexp
