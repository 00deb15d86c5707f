// SPDX-License-Identifier: Apache-2.0
// How commands speak: results on standard output, everything else on standard error.
#pragma once

#include <functional>
#include <string>

#include "harness/base/result.h"
#include "harness/record/outcome.h"

namespace sglexp {

// A command's work, chosen while the arguments are parsed and run afterwards.
using Action = std::function<ExitCode()>;

void print_out(const std::string& text);   // as it is
void print_line(const std::string& line);  // standard error, one line, at once

// Prints "sglexp: <message>" and says which exit code the error means: input and files are usage
// errors, the rest is infrastructure.
[[nodiscard]] ExitCode report_error(const Error& error);

}  // namespace sglexp
