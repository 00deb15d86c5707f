// SPDX-License-Identifier: Apache-2.0
#include "harness/report/placement_summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

auto content(const PlacementRow& row) {
  return std::tie(row.role, row.name, row.rank, row.node, row.gpu_index, row.gpu_pci, row.gpu_numa,
                  row.cpus, row.mem_nodes, row.port, row.observed_cpus, row.observed_gpus,
                  row.simulated_binding);
}

void add_row(std::vector<PlacementSummary>& out, const TrialKey& key, const PlacementRow& row) {
  auto same = std::find_if(out.begin(), out.end(), [&](const PlacementSummary& known) {
    return known.arm == key.arm && content(known.row) == content(row);
  });
  if (same == out.end()) {
    out.push_back({key.arm, row, {}});
    same = out.end() - 1;
  }
  const auto place = std::lower_bound(same->slots.begin(), same->slots.end(), key.slot);
  if (place == same->slots.end() || *place != key.slot) {
    same->slots.insert(place, key.slot);
  }
}

bool sees_planned_gpu(const PlacementRow& row) {
  if (row.gpu_pci.empty()) {
    return true;
  }
  const std::vector<std::string> seen = split(row.observed_gpus, ',');
  return std::any_of(seen.begin(), seen.end(),
                     [&](const std::string& pci) { return trim(pci) == row.gpu_pci; });
}

}  // namespace

std::vector<PlacementSummary> summarize_placement(const RunReport& report) {
  std::vector<PlacementSummary> out;
  for (const TrialRecord& trial : report.trials) {
    for (const PlacementRow& row : trial.placement) {
      add_row(out, trial.key, row);
    }
  }
  std::map<std::string, std::size_t> order;
  for (const ArmInfo& arm : report.run.arms) {
    order.emplace(arm.name, order.size());
  }
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    const auto place = [&](const std::string& arm) {
      const auto found = order.find(arm);
      return found == order.end() ? order.size() : found->second;
    };
    return place(a.arm) < place(b.arm);
  });
  return out;
}

std::string process_text(const PlacementRow& row) {
  const std::string who = row.role == row.name ? row.name : row.role + " " + row.name;
  return row.gpu_pci.empty() ? who : fmt::format("{}[{}]", who, row.rank);
}

std::string gpu_text(const PlacementRow& row) {
  if (row.gpu_pci.empty() && row.gpu_index < 0) {
    return "-";
  }
  return fmt::format("{} at {} (NUMA {})", row.gpu_index, row.gpu_pci,
                     row.gpu_numa < 0 ? "unknown" : std::to_string(row.gpu_numa));
}

std::string observed_text(const PlacementRow& row) {
  std::vector<std::string> parts;
  if (row.observed_cpus.empty()) {
    parts.emplace_back("CPUs not measured");
  } else if (row.observed_cpus != row.cpus) {
    parts.push_back("CPUs " + row.observed_cpus);
  }
  if (!row.gpu_pci.empty() && row.observed_gpus.empty()) {
    parts.emplace_back("GPUs not measured");
  } else if (!sees_planned_gpu(row)) {
    parts.push_back("GPUs " + row.observed_gpus);
  }
  std::string out = parts.empty() ? "as planned" : join(parts, ", ");
  return row.simulated_binding ? out + " (simulated)" : out;
}

}  // namespace sglexp
