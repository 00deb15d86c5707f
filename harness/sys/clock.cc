// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/clock.h"

#include <time.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace sglexp {

TimePoint SystemClock::now() const {
  return std::chrono::time_point_cast<Nanos>(std::chrono::steady_clock::now());
}

std::chrono::system_clock::time_point SystemClock::wall_now() const {
  return std::chrono::system_clock::now();
}

void SystemClock::sleep_for(Nanos duration) {
  if (duration <= Nanos(0)) {
    return;
  }
  timespec wait{};
  wait.tv_sec = static_cast<time_t>(duration.count() / 1'000'000'000);
  wait.tv_nsec = static_cast<long>(duration.count() % 1'000'000'000);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, nullptr);  // a signal may end it early: by contract
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto millis = std::chrono::duration_cast<Millis>(time.time_since_epoch()).count();
  const auto seconds = static_cast<time_t>(millis / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), millis % 1000);
}

}  // namespace sglexp
