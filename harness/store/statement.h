// SPDX-License-Identifier: Apache-2.0
// One prepared SQLite statement. Every value is bound, none is ever part of the SQL text.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "harness/base/result.h"

struct sqlite3_stmt;

namespace sglexp {

class Database;

// Bytes that are not text.
struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  // `sql` is compiled in. The database must outlive the statement.
  [[nodiscard]] static Result<Statement> prepare(const Database& database, std::string_view sql);

  // Binds the values in order, runs to the end and is ready to run again. An integer may not be
  // unsigned 64 bit (SQLite has none); an empty optional and a number that is not finite are NULL.
  template <typename... Values>
  [[nodiscard]] Status run(const Values&... values) {
    rewind();
    bind_all(Lifetime::kCall, values...);  // the values outlive this call, so nothing is copied
    return finish();
  }
  // Binds the values (copied) for a query that next() then reads.
  template <typename... Values>
  Statement& start(const Values&... values) {
    rewind();
    bind_all(Lifetime::kCopy, values...);
    return *this;
  }
  // Steps to the next row; false at the end. Bind errors come out here.
  [[nodiscard]] Result<bool> next();

  // Calls `read()` on every remaining row; a Status that it returns ends the loop when it is an Error.
  template <typename Read>
  [[nodiscard]] Status each(Read read) {
    while (true) {
      const Result<bool> row = next();
      if (!row.ok()) {
        return row.error();
      }
      if (!*row) {
        return Ok{};
      }
      if constexpr (std::is_void_v<decltype(read())>) {
        read();
      } else {
        SGLEXP_CHECK(read());
      }
    }
  }

  // Columns of the current row, from 0. NULL reads as 0, "" or no value.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] int small(int column) const { return static_cast<int>(integer(column)); }
  [[nodiscard]] bool flag(int column) const { return integer(column) != 0; }
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;  // also for blobs
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;
  [[nodiscard]] std::optional<int> optional_small(int column) const;

 private:
  enum class Lifetime { kCall, kCopy };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(std::unique_ptr<sqlite3_stmt, Finalizer> handle, const Database& database);

  void rewind();
  [[nodiscard]] Status finish();
  void bind_null(int index);
  void bind_integer(int index, std::int64_t value);
  void bind_real(int index, double value);
  void bind_text(int index, std::string_view value, Lifetime lifetime);
  void bind_blob(int index, std::string_view bytes, Lifetime lifetime);

  template <typename... Values>
  void bind_all(Lifetime lifetime, const Values&... values) {
    int index = 0;
    (bind(++index, values, lifetime), ...);
  }
  template <typename T>
  void bind(int index, const std::optional<T>& value, Lifetime lifetime) {
    value ? bind(index, *value, lifetime) : bind_null(index);
  }
  template <typename T>
  void bind(int index, const T& value, Lifetime lifetime) {
    if constexpr (std::is_same_v<T, Blob>) {
      bind_blob(index, value.bytes, lifetime);
    } else if constexpr (std::floating_point<T>) {
      bind_real(index, value);
    } else if constexpr (std::integral<T>) {
      static_assert(std::is_signed_v<T> || sizeof(T) < sizeof(std::int64_t));
      bind_integer(index, static_cast<std::int64_t>(value));
    } else {
      bind_text(index, std::string_view(value), lifetime);
    }
  }

  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
  const Database* database_;
  int bind_error_ = 0;  // first failed bind since rewind()
};

// "" is stored as NULL where it means that there is nothing to say.
[[nodiscard]] inline std::optional<std::string_view> text_or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace sglexp
