// SPDX-License-Identifier: Apache-2.0
#include "harness/load/client_meter.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

namespace sglexp {

namespace {

constexpr double kMaxCpuShare = 0.80;
constexpr double kMaxLoopShareOfItl = 0.05;
constexpr double kLoopNoiseFloorNs = 1e6;

Nanos thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return Seconds(used.tv_sec) + Nanos(used.tv_nsec);
}

}  // namespace

void ClientMeter::begin() {
  wall_begin_ = clock_.now();
  cpu_begin_ = thread_cpu_time();
  rounds_ = {};
}

void ClientMeter::add_round(Nanos busy) {
  rounds_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(busy.count(), 0)));
}

ClientHealth ClientMeter::end() const {
  ClientHealth health;
  const Nanos wall = clock_.now() - wall_begin_;
  if (wall > Nanos(0)) {
    health.cpu_share = static_cast<double>((thread_cpu_time() - cpu_begin_).count()) /
                       static_cast<double>(wall.count());
  }
  health.loop_p99_ns = static_cast<std::int64_t>(rounds_.quantile(percentile(99)).value_or(0));
  health.loop_max_ns = static_cast<std::int64_t>(rounds_.max().value_or(0));
  return health;
}

std::string client_invalid_reason(const ClientHealth& health, double itl_p50_ns) {
  if (health.cpu_share > kMaxCpuShare) {
    return fmt::format("the load client used {:.0f} % of its CPU (limit {:.0f} %)",
                       health.cpu_share * 100, kMaxCpuShare * 100);
  }
  const double limit = std::max(kLoopNoiseFloorNs, kMaxLoopShareOfItl * itl_p50_ns);
  if (static_cast<double>(health.loop_p99_ns) > limit) {
    return fmt::format("the load client's loop took {:.2f} ms at p99 (limit {:.2f} ms)",
                       static_cast<double>(health.loop_p99_ns) / 1e6, limit / 1e6);
  }
  return {};
}

}  // namespace sglexp
