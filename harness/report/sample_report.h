// SPDX-License-Identifier: Apache-2.0
// Runs for the golden files of this module: one of each end.
#pragma once

#include "harness/report/run_report.h"

namespace sglexp {

[[nodiscard]] RunReport
passing_simulated_report();                     // cross-NUMA is worse, and no gate fails the run
[[nodiscard]] RunReport regressed_report();     // on a real cluster, two gates
[[nodiscard]] RunReport inconclusive_report();  // three blocks
[[nodiscard]] RunReport failed_environment_report();
[[nodiscard]] RunReport failed_startup_report();  // node names and log lines try to inject

}  // namespace sglexp
