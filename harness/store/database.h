// SPDX-License-Identifier: Apache-2.0
// One SQLite connection and one transaction, owned. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/result.h"

struct sqlite3;

namespace sglexp {

class Database {
 public:
  enum class Access { kReadWrite, kReadOnly };

  // Opens (kReadWrite: creates) the file, and sets what every connection needs: foreign keys on, a
  // busy timeout of 10 s, synchronous=FULL, a read-only schema table.
  // kNotFound: kReadOnly and no such file. kInvalidInput: not a SQLite file, or damaged.
  [[nodiscard]] static Result<Database> open(const std::string& path, Access access);
  [[nodiscard]] static Result<Database> open_memory();

  // Runs compiled-in SQL without parameters; several statements are allowed.
  [[nodiscard]] Status execute(const std::string& sql);
  // First column of the first row of compiled-in SQL; 0 where there is no row.
  [[nodiscard]] Result<std::int64_t> integer(const std::string& sql);
  [[nodiscard]] Result<std::string> text(const std::string& sql);

  // The Error for this connection's last failed call: says which file, what SQLite said, what to do.
  [[nodiscard]] Error last_error() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  Database(std::unique_ptr<sqlite3, Closer> handle, std::string path);
  [[nodiscard]] static Result<Database> open_flags(const std::string& name, int flags,
                                                   const std::string& shown_path);

  std::unique_ptr<sqlite3, Closer> handle_;
  std::string path_;
};

// Rolls back when it goes out of scope without commit().
class Transaction {
 public:
  // kWrite takes the write lock at once (BEGIN IMMEDIATE), so that it never fails half-way for want
  // of it; kRead gives several SELECTs one view of the data. kUnavailable: locked for over 10 s.
  enum class Kind { kRead, kWrite };
  [[nodiscard]] static Result<Transaction> begin(Database& database, Kind kind);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  [[nodiscard]] Status commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;  // null once ended
};

}  // namespace sglexp
