// SPDX-License-Identifier: Apache-2.0
// Which SQLite journal is safe where the file lies. WAL shares memory between processes through a
// mapped file, which network file systems do not keep coherent (sqlite.org/wal.html), so WAL is
// used only where the file system is known to be local and a write in a scratch database proves it.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/store/database.h"
#include "harness/sys/file_system.h"

namespace sglexp {

// Of the directory that holds `path`.
[[nodiscard]] Result<FileSystemKind> file_system_of(const std::string& path);

// True if a scratch database in the same directory goes into WAL mode and takes a write there.
// (`PRAGMA journal_mode=WAL` alone can answer "wal" and still fail at the first write.)
[[nodiscard]] bool wal_works_beside(const std::string& path);

// Sets WAL where it is safe, else TRUNCATE. A database that others use at this moment keeps the
// mode that it has, unless that is WAL where it is not safe (kUnavailable).
[[nodiscard]] Status choose_journal_mode(Database& database);

}  // namespace sglexp
