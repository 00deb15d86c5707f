// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/report/run_report.h"

namespace sglexp {

// What went wrong with a run, told once: what, where, cause, evidence, remedy, files, and what else
// failed; at most 11 lines of ASCII. Empty for a run without a failure.
[[nodiscard]] std::string failure_summary(const RunReport& report);

}  // namespace sglexp
