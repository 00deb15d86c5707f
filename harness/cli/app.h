// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/record/outcome.h"

namespace sglexp {

// Parses the arguments, runs the command, and answers with the process's exit code.
[[nodiscard]] ExitCode run_app(int argc, char** argv);

}  // namespace sglexp
