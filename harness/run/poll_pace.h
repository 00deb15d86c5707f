// SPDX-License-Identifier: Apache-2.0
// When to ask Slurm about a job again: seldom, since everybody shares one controller; soon where an
// end is expected; less and less often where the controller does not answer.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/random.h"
#include "harness/base/units.h"
#include "harness/sys/clock.h"

namespace sglexp {

class PollPace {
 public:
  // Each wait is up to a fifth longer than said, by the seed: runs that start together drift apart.
  PollPace(Nanos period, std::uint64_t seed) : period_(period), jitter_(seed) {}

  // The first question is due at once.
  [[nodiscard]] bool due(TimePoint now) const { return now >= next_; }
  void answered(TimePoint now);
  void unanswered(TimePoint now);
  // The end is near: asks in `first`, then in steps that double up to the period.
  void hurry(TimePoint now, Nanos first);

 private:
  void wait(TimePoint now, Nanos duration);

  Nanos period_;
  Rng jitter_;
  TimePoint next_{};
  Nanos silence_{0};           // the last wait without an answer
  std::optional<Nanos> step_;  // the next wait, while an end is expected
};

}  // namespace sglexp
