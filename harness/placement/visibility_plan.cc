// SPDX-License-Identifier: Apache-2.0
// The one variable that gives a process exactly its GPUs.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/placement/visibility.h"

namespace sglexp {

namespace {

std::string address_list(const std::vector<VisibleDevice>& devices) {
  std::vector<std::string> out;
  for (const VisibleDevice& device : devices) {
    out.push_back(device.pci);
  }
  return out.empty() ? "none" : join(out, ", ");
}

std::optional<std::size_t> position(const std::vector<VisibleDevice>& devices,
                                    const std::string& pci) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].pci == pci) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<VisibilityPlan> plan_visibility(const std::vector<VisibleDevice>& devices,
                                       const VisibilityEnv& inherited,
                                       const std::vector<std::string>& wanted_pci) {
  if (wanted_pci.empty()) {
    // An empty HIP_VISIBLE_DEVICES would show every GPU.
    return Error{ErrorCode::kInvalidInput, "no GPU is planned for this process"};
  }
  if (std::set<std::string>(wanted_pci.begin(), wanted_pci.end()).size() != wanted_pci.size()) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("a GPU is planned twice for one process: {}", join(wanted_pci, ", "))};
  }
  const std::vector<VisibleDevice> left =
      compose_visibility(devices, {inherited.rocr, {}, {}}).visible;
  std::vector<std::string> numbers;
  for (const std::string& pci : wanted_pci) {
    const auto at = position(left, pci);
    if (at) {
      numbers.push_back(std::to_string(*at));
    } else if (position(devices, pci)) {
      return Error{
          ErrorCode::kInvalidInput,
          fmt::format(
              "{}={} in the inherited environment hides the planned GPU {}: it leaves {}. Launch "
              "the step with the GPUs that the plan names",
              kRocrVariable, printable(inherited.rocr.value_or(""), 80), pci, address_list(left))};
    } else {
      return Error{
          ErrorCode::kInvalidInput,
          fmt::format(
              "the planned GPU {} is not among those that this process can open: {}. Launch "
              "the step with the GPUs that the plan names",
              pci, address_list(devices))};
    }
  }
  return VisibilityPlan{{{std::string(kHipVariable), join(numbers, ",")}},
                        {std::string(kCudaVariable), std::string(kOrdinalVariable)}};
}

}  // namespace sglexp
