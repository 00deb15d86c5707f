// SPDX-License-Identifier: Apache-2.0
#include "harness/store/statement.h"

#include <sqlite3.h>

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/store/database.h"

namespace sglexp {

namespace {

// SQLITE_TRANSIENT is a C cast of -1 to a function pointer, which -Wold-style-cast refuses.
sqlite3_destructor_type copy_it() {
  return reinterpret_cast<sqlite3_destructor_type>(-1);  // NOLINT(performance-no-int-to-ptr)
}

const char* bytes_or_empty(std::string_view bytes) {
  return bytes.data() == nullptr ? "" : bytes.data();  // a null pointer would bind NULL
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(std::unique_ptr<sqlite3_stmt, Finalizer> handle, const Database& database)
    : handle_(std::move(handle)), database_(&database) {}

Result<Statement> Statement::prepare(const Database& database, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &raw,
                         nullptr) != SQLITE_OK) {
    return database.last_error();
  }
  return Statement(std::unique_ptr<sqlite3_stmt, Finalizer>(raw), database);
}

void Statement::rewind() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
  bind_error_ = SQLITE_OK;
}

Result<bool> Statement::next() {
  if (bind_error_ != SQLITE_OK) {
    return Error{ErrorCode::kInternal, fmt::format("database {}: binding a value: {}",
                                                   database_->path(), sqlite3_errstr(bind_error_))};
  }
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW || code == SQLITE_DONE) {
    return code == SQLITE_ROW;
  }
  Error error = database_->last_error();
  sqlite3_reset(handle_.get());
  return error;
}

Status Statement::finish() {
  bool row = true;
  while (row) {
    SGLEXP_TRY(row, next());
  }
  sqlite3_reset(handle_.get());  // an unfinished statement would keep its transaction open
  return Ok{};
}

void Statement::bind_null(int index) {
  const int code = sqlite3_bind_null(handle_.get(), index);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
}

void Statement::bind_integer(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), index, value);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
}

void Statement::bind_real(int index, double value) {
  // SQLite would turn NaN into NULL by itself, but keep an infinity.
  const int code = std::isfinite(value) ? sqlite3_bind_double(handle_.get(), index, value)
                                        : sqlite3_bind_null(handle_.get(), index);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
}

void Statement::bind_text(int index, std::string_view value, Lifetime lifetime) {
  const int code =
      sqlite3_bind_text64(handle_.get(), index, bytes_or_empty(value), value.size(),
                          lifetime == Lifetime::kCall ? nullptr : copy_it(), SQLITE_UTF8);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
}

void Statement::bind_blob(int index, std::string_view bytes, Lifetime lifetime) {
  const int code = sqlite3_bind_blob64(handle_.get(), index, bytes_or_empty(bytes), bytes.size(),
                                       lifetime == Lifetime::kCall ? nullptr : copy_it());
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
  const void* const bytes = sqlite3_column_blob(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::optional<double> Statement::optional_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

std::optional<int> Statement::optional_small(int column) const {
  return is_null(column) ? std::nullopt : std::optional(small(column));
}

}  // namespace sglexp
