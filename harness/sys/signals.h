// SPDX-License-Identifier: Apache-2.0
// Signals as counters that loops look at. Handlers only count; nothing else happens in them.
#pragma once

#include <vector>

namespace sglexp {

// Counts SIGINT and SIGTERM for as long as it lives; the old handlers come back afterwards.
// One instance at a time: signal dispositions belong to the process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  [[nodiscard]] int interrupts() const;    // SIGINT: the user's Ctrl-C
  [[nodiscard]] int terminations() const;  // SIGTERM: the batch system, or someone's kill
  [[nodiscard]] int total() const { return interrupts() + terminations(); }
};

}  // namespace sglexp
