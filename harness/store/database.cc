// SPDX-License-Identifier: Apache-2.0
#include "harness/store/database.h"

#include <sqlite3.h>

#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

constexpr int kBusyTimeoutMs = 10'000;

struct Meaning {
  ErrorCode code;
  std::string_view advice;
};

// What a primary result code means for the person who runs the command.
Meaning meaning_of(int primary) {
  switch (primary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kUnavailable,
              "another process has held the database for over 10 s; try again when it has ended"};
    case SQLITE_NOTADB:
      return {ErrorCode::kInvalidInput,
              "this file is not a SQLite database; pass another path with --db"};
    case SQLITE_CORRUPT:
      return {
          ErrorCode::kInvalidInput,
          "the database is damaged; restore a copy, or salvage it with `sqlite3 FILE .recover`"};
    case SQLITE_CANTOPEN:
      return {ErrorCode::kInvalidInput,
              "the file cannot be opened; check that its directory exists and is accessible"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::kInvalidInput,
              "no permission to write it; check the file's owner and mode"};
    case SQLITE_FULL:
      return {ErrorCode::kUnavailable, "no space is left; free some and run the command again"};
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL:
      return {ErrorCode::kUnavailable,
              "the file system failed; keep the database on a local disk (--db)"};
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return {ErrorCode::kInvalidInput,
              "the record breaks a rule of the schema; nothing was stored"};
    default:
      return {ErrorCode::kInternal, "this is a fault in sglexp: please report it"};
  }
}

Error error_for(int extended, const char* message, const std::string& path) {
  const Meaning meaning = meaning_of(extended & 0xFF);
  return {meaning.code, fmt::format("database {}: {} (SQLite code {}): {}", printable(path),
                                    printable(message), extended, meaning.advice)};
}

}  // namespace

void Database::Closer::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Database::Database(std::unique_ptr<sqlite3, Closer> handle, std::string path)
    : handle_(std::move(handle)), path_(std::move(path)) {}

Result<Database> Database::open_flags(const std::string& name, int flags,
                                      const std::string& shown_path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<sqlite3, Closer> handle(raw);
  if (code != SQLITE_OK) {
    return error_for(raw == nullptr ? code : sqlite3_extended_errcode(raw), sqlite3_errstr(code),
                     shown_path);
  }
  Database database(std::move(handle), shown_path);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  // No statement may write to the schema table or turn the journal off, whatever the file holds.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // A 32 MiB cache keeps a whole trial's pages in memory until its commit.
  SGLEXP_CHECK(database.execute(
      "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768;"));
  // The first read of the file: tells a foreign or damaged file apart before anything is written.
  SGLEXP_TRY([[maybe_unused]] const std::int64_t tables,
             database.integer("SELECT count(*) FROM sqlite_schema"));
  return database;
}

Result<Database> Database::open(const std::string& path, Access access) {
  if (path.empty()) {
    return Error{ErrorCode::kInvalidInput, "the database path is empty: pass one with --db"};
  }
  // SQLite gives names that begin with a colon a meaning of their own.
  const std::string name = path.front() == ':' ? "./" + path : path;
  const int flags = access == Access::kReadOnly ? SQLITE_OPEN_READONLY
                                                : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  return open_flags(name, flags, path);
}

Result<Database> Database::open_memory() {
  return open_flags(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "(in memory)");
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return last_error();
  }
  return Ok{};
}

Result<std::int64_t> Database::integer(const std::string& sql) {
  SGLEXP_TRY(Statement statement, Statement::prepare(*this, sql));
  SGLEXP_TRY(const bool row, statement.next());
  return row ? statement.integer(0) : 0;
}

Result<std::string> Database::text(const std::string& sql) {
  SGLEXP_TRY(Statement statement, Statement::prepare(*this, sql));
  SGLEXP_TRY(const bool row, statement.next());
  return row ? statement.text(0) : std::string();
}

Error Database::last_error() const {
  return error_for(sqlite3_extended_errcode(handle_.get()), sqlite3_errmsg(handle_.get()), path_);
}

Result<Transaction> Transaction::begin(Database& database, Kind kind) {
  SGLEXP_CHECK(database.execute(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN"));
  return Transaction(&database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // Some errors (disk full, I/O) have rolled back already; a second ROLLBACK is then an error.
  if (database_ != nullptr && sqlite3_get_autocommit(database_->handle()) == 0) {
    sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Status Transaction::commit() {
  SGLEXP_CHECK(database_->execute("COMMIT"));
  database_ = nullptr;
  return Ok{};
}

}  // namespace sglexp
