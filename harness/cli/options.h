// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/cli/experiment_commands.h"

namespace CLI {
class App;
}

namespace sglexp {

// --db and --json, alike on every command that reads or writes results.
void add_database_options(CLI::App* command, DatabaseOptions& options);

}  // namespace sglexp
