// SPDX-License-Identifier: Apache-2.0
// How well the load client itself did, measured on the thread that runs the loop.
#pragma once

#include <cstdint>

#include "harness/base/units.h"
#include "harness/load/load_job.h"
#include "harness/stats/histogram.h"
#include "harness/sys/clock.h"

namespace sglexp {

class ClientMeter {
 public:
  explicit ClientMeter(const Clock& clock) : clock_(clock) {}

  // The measured part begins now, on this thread.
  void begin();
  // One turn of the loop that had something to do.
  void add_round(Nanos busy);
  // The measured part has ended. Fills all but coalesced_share and invalid_reason.
  [[nodiscard]] ClientHealth end() const;

 private:
  const Clock& clock_;
  TimePoint wall_begin_{};
  Nanos cpu_begin_{0};
  Histogram rounds_;
};

// Why the numbers cannot be trusted, or nothing. A delivery that the client held up for more than
// 5 % of the median gap between tokens, or a thread busy for more than 80 % of the time, bends the
// very latencies that are measured. Below 1 ms a late turn is the noise of a small machine.
[[nodiscard]] std::string client_invalid_reason(const ClientHealth& health, double itl_p50_ns);

}  // namespace sglexp
