// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_dir.h"

#include <fmt/format.h>

namespace sglexp {

std::string RunDir::slot_dir(const SlotPlan& slot, const Scenario& scenario) const {
  return fmt::format("{}/slots/s{:02}-{}", root_, slot.index,
                     scenario.arms[static_cast<std::size_t>(slot.arm)].name);
}

std::string RunDir::relative(const std::string& path) const {
  return path.starts_with(root_ + "/") ? path.substr(root_.size() + 1) : path;
}

}  // namespace sglexp
