// SPDX-License-Identifier: Apache-2.0
// The seam to time. Product code never calls std::chrono clocks or sleeps by itself.
#pragma once

#include <chrono>
#include <string>

#include "harness/base/units.h"

namespace sglexp {

using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Nanos>;  // CLOCK_MONOTONIC

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
  [[nodiscard]] virtual std::chrono::system_clock::time_point wall_now() const = 0;
  // May return early when a signal arrives; callers loop on their own condition.
  virtual void sleep_for(Nanos duration) = 0;
};

class SystemClock : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] std::chrono::system_clock::time_point wall_now() const override;
  void sleep_for(Nanos duration) override;
};

// "2026-11-30T21:14:32.123Z"
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace sglexp
