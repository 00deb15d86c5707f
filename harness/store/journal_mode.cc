// SPDX-License-Identifier: Apache-2.0
#include "harness/store/journal_mode.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/digest.h"
#include "harness/base/text.h"

namespace sglexp {

namespace {

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

Result<FileSystemKind> file_system_of(const std::string& path) {
  return file_system_at(directory_of(path));
}

bool wal_works_beside(const std::string& path) {
  const std::string scratch = directory_of(path) + "/.sglexp-wal-" + make_uuid();
  bool works = false;
  {
    Result<Database> database = Database::open(scratch, Database::Access::kReadWrite);
    // What is proved is the shared memory and its locks; syncing would only cost time.
    if (database.ok() && database->execute("PRAGMA synchronous=OFF").ok()) {
      const Result<std::string> mode = database->text("PRAGMA journal_mode=WAL");
      works = mode.ok() && *mode == "wal" && database->execute("CREATE TABLE t(x)").ok();
    }
  }
  for (const char* const suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(scratch + suffix, ignored);
  }
  return works;
}

Status choose_journal_mode(Database& database) {
  SGLEXP_TRY(const std::string current, database.text("PRAGMA journal_mode"));
  const Result<FileSystemKind> kind = file_system_of(database.path());
  const bool local = kind.ok() && kind->local;
  if (current == "wal" && local) {
    return Ok{};  // it has taken writes here already
  }
  const bool wal = local && wal_works_beside(database.path());
  const Result<std::string> now =
      database.text(wal ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=TRUNCATE");
  // Busy: someone else has it open, and the mode can only change when nobody does. The rollback
  // journal is safe everywhere, so going on with it is fine; WAL where it may not hold is not.
  const bool keep = local || current != "wal";
  if (!now.ok() && !(keep && now.error().code == ErrorCode::kUnavailable)) {
    return now.error();
  }
  return Ok{};
}

}  // namespace sglexp
