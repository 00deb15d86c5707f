// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace sglexp {

namespace {

namespace fs = std::filesystem;

Error errno_error(const std::string& what, const std::string& path, int number) {
  const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::kNotFound
                         : number == ENOSPC || number == EDQUOT || number == EIO
                             ? ErrorCode::kUnavailable
                             : ErrorCode::kInvalidInput;
  return Error{code, fmt::format("{} {}: {}", what, path, std::strerror(number))};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return errno_error("writing", path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Ok{};
}

Result<std::string> read_from(const std::string& path, std::uint64_t offset,
                              std::uint64_t max_bytes) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return errno_error("reading", path, errno);
  }
  std::string out;
  while (out.size() < max_bytes) {
    constexpr std::size_t kStep = 1 << 16;
    const std::size_t old_size = out.size();
    const std::size_t want = std::min<std::uint64_t>(kStep, max_bytes - old_size);
    out.resize(old_size + want);
    const ssize_t n =
        pread(file.get(), out.data() + old_size, want, static_cast<off_t>(offset + old_size));
    out.resize(old_size + (n > 0 ? static_cast<std::size_t>(n) : 0));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return errno_error("reading", path, errno);
    }
    if (n == 0) {
      break;
    }
  }
  return out;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  SGLEXP_TRY(std::string text, read_from(path, 0, max_bytes + 1));
  if (text.size() > max_bytes) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("reading {}: larger than {} bytes", path, max_bytes)};
  }
  return text;
}

Result<std::string> read_file_from(const std::string& path, std::uint64_t offset,
                                   std::uint64_t max_bytes) {
  return read_from(path, offset, max_bytes);
}

Status write_file_atomic(const std::string& path, std::string_view bytes, unsigned mode) {
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    return errno_error("creating", temporary, errno);
  }
  Status written = write_all(file.get(), bytes, temporary);
  if (written.ok() && (fchmod(file.get(), mode) != 0 || fsync(file.get()) != 0)) {
    written = errno_error("writing", temporary, errno);
  }
  if (written.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    written = errno_error("renaming to", path, errno);
  }
  if (!written.ok()) {
    unlink(temporary.c_str());
  }
  return written;
}

Status make_directories(const std::string& path, unsigned mode) {
  std::string prefix;
  for (const fs::path& part : fs::path(path)) {
    prefix = prefix.empty() ? part.string() : (fs::path(prefix) / part).string();
    if (mkdir(prefix.c_str(), mode) != 0 && errno != EEXIST) {
      return errno_error("creating directory", prefix, errno);
    }
  }
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return errno_error("creating directory", path, errno);
  }
  if (!S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::kInvalidInput, fmt::format("{} exists and is not a directory", path)};
  }
  return Ok{};
}

bool path_exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

Status remove_tree(const std::string& path, const std::string& root) {
  std::error_code failed;
  const fs::path real_root = fs::weakly_canonical(root, failed);
  // The last component stays unresolved: a link is removed as a link, never followed.
  const fs::path target =
      fs::weakly_canonical(fs::path(path).parent_path(), failed) / fs::path(path).filename();
  const auto [root_end, rest] =
      std::mismatch(real_root.begin(), real_root.end(), target.begin(), target.end());
  if (failed || root_end != real_root.end() || rest == target.end()) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("refusing to remove {}: not below {}", path, root)};
  }
  fs::remove_all(target, failed);
  if (failed) {
    return Error{ErrorCode::kUnavailable, fmt::format("removing {}: {}", path, failed.message())};
  }
  return Ok{};
}

TempDir::TempDir() {
  const char* base = std::getenv("TMPDIR");
  path_ = fmt::format("{}/sglexp-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
  if (mkdtemp(path_.data()) == nullptr) {
    std::abort();  // nothing that needs a temporary directory can go on
  }
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace sglexp
