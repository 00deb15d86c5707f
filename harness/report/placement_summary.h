// SPDX-License-Identifier: Apache-2.0
// Placement over all slots of a run, told once where it was the same.
#pragma once

#include <string>
#include <vector>

#include "harness/report/run_report.h"

namespace sglexp {

struct PlacementSummary {
  std::string arm;
  PlacementRow row;
  std::vector<int> slots;  // of that arm where it held, sorted
};

// By arm in the run's order, then as the placement lists them.
[[nodiscard]] std::vector<PlacementSummary> summarize_placement(const RunReport& report);

// "worker w0[1]": rank in brackets where there is a GPU.
[[nodiscard]] std::string process_text(const PlacementRow& row);
// "5 at 0000:85:00.0 (NUMA 1)", "-" for a service.
[[nodiscard]] std::string gpu_text(const PlacementRow& row);
// "as planned", "not measured", or what was seen instead; with "(simulated)" where nothing was
// really bound.
[[nodiscard]] std::string observed_text(const PlacementRow& row);

}  // namespace sglexp
