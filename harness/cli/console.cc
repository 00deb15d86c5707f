// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/console.h"

#include <cstdio>

namespace sglexp {

void print_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_line(const std::string& line) {
  const std::string whole = line + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

ExitCode report_error(const Error& error) {
  print_line("sglexp: " + error.message);
  switch (error.code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kNotFound:
      return ExitCode::kUsage;
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimedOut:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      return ExitCode::kInfrastructure;
  }
  return ExitCode::kInfrastructure;
}

}  // namespace sglexp
