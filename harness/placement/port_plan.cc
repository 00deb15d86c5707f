// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/port_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/random.h"

namespace sglexp {

Result<PortPlan> PortPlan::make(int base, int count, std::uint64_t salt,
                                const std::vector<std::string>& workers) {
  constexpr int kLastPort = 65535;
  if (base < 1 || count < 1 || base > kLastPort || count > kLastPort + 1 - base) {
    return Error{
        ErrorCode::kInvalidInput,
        fmt::format("port_base {} with port_count {} leaves 1..{}", base, count, kLastPort)};
  }
  std::map<std::string, std::int64_t> per_address;
  std::int64_t most = 0;
  for (const std::string& address : workers) {
    most = std::max(most, ++per_address[address]);
  }
  const std::int64_t span = most * kPortsPerWorker + kPortsForServices;
  if (count < span) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("port_count {} is too small: {} workers on one address need {} ports",
                             count, most, span)};
  }
  PortPlan plan;
  const auto stretches = static_cast<std::uint64_t>(count / span);
  plan.start_ = base + static_cast<int>(
                           static_cast<std::int64_t>(Rng(salt, "ports").below(stretches)) * span);
  plan.service_offset_ = static_cast<int>(most) * kPortsPerWorker;
  return plan;
}

int PortPlan::next_worker(const std::string& address) {
  return start_ + kPortsPerWorker * workers_[address]++;
}

int PortPlan::next_service(const std::string& address) {
  return start_ + service_offset_ + services_[address]++;
}

}  // namespace sglexp
