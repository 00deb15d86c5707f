// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or the Error that says why there is none.
//
// An Error means "could not find out or could not do". A failed job, a red check or an HTTP 503 is
// an ordinary value, never an Error. Nothing in harness/ throws across a module boundary.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace sglexp {

// What a caller may do about an error.
enum class ErrorCode {
  kInvalidInput,  // the caller's text or arguments are wrong; the message says what to write
                  // instead
  kNotFound,      // the named thing does not exist
  kUnavailable,   // may work later: controller down, file system busy
  kTimedOut,      // a deadline passed; the effect of the call is unknown
  kCancelled,     // the user asked to stop
  kInternal,      // a bug in this program
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

// Adds context in front: "reading plan.json: No such file or directory".
[[nodiscard]] inline Error with_context(Error error, const std::string& context) {
  error.message = context + ": " + error.message;
  return error;
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)  // NOLINT(google-explicit-constructor): `return value;` is the point
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error)  // NOLINT(google-explicit-constructor): and so is `return error;`
      : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

// Success carries nothing.
struct Ok {};
using Status = Result<Ok>;

}  // namespace sglexp

// SGLEXP_TRY(auto x, f()): x is the value, or the enclosing function returns the error.
#define SGLEXP_TRY_CONCAT_(a, b) a##b
#define SGLEXP_TRY_NAME_(line) SGLEXP_TRY_CONCAT_(sglexp_try_, line)
#define SGLEXP_TRY(lhs, expr)                  \
  auto SGLEXP_TRY_NAME_(__LINE__) = (expr);    \
  if (!SGLEXP_TRY_NAME_(__LINE__).ok()) {      \
    return SGLEXP_TRY_NAME_(__LINE__).error(); \
  }                                            \
  lhs = std::move(SGLEXP_TRY_NAME_(__LINE__)).value()
// For a Status, where there is no value to name.
#define SGLEXP_CHECK(expr)          \
  do {                              \
    auto sglexp_check_ = (expr);    \
    if (!sglexp_check_.ok()) {      \
      return sglexp_check_.error(); \
    }                               \
  } while (false)
