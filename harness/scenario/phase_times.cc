// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/phase_times.h"

namespace sglexp {

PhaseTimes typical_times(bool fake_engine) {
  if (fake_engine) {
    return {.probe = Seconds(2),
            .ready = Millis(1500),
            .teardown = Millis(500),
            .first_token = Millis(20),
            .token = Millis(12)};
  }
  return {.probe = Seconds(20),
          .ready = Seconds(180),
          .teardown = Seconds(20),
          .first_token = Millis(300),
          .token = Millis(25)};
}

Nanos PhaseTimes::load_point(const LoadSpec& load, const LoadPoint& point) const {
  const auto waves = [&](int requests) {
    return (requests + point.concurrency - 1) / point.concurrency;
  };
  return (waves(load.warmup_requests) + waves(point.requests)) *
         (first_token + load.dataset.output_tokens * token);
}

}  // namespace sglexp
