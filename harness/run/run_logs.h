// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/run/run_dir.h"

namespace sglexp {

// The last `lines` of the batch logs and of the newest slot's process logs, each under its name;
// `node` empty: of all nodes. Made printable line by line. 0 lines: all.
[[nodiscard]] Result<std::string> run_logs(const RunDir& dir, const std::string& node, int lines);

}  // namespace sglexp
