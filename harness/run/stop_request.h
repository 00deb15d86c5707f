// SPDX-License-Identifier: Apache-2.0
// How the agent asks a process inside a job step to end: it closes the step's standard input.
// Signals do not do: srun answers SIGTERM by killing its tasks at once (22.05.8), and scancel of a
// step reaches the engine's children before the engine. The closed pipe also tells when the agent or
// srun died. Slurm's own SIGTERM, at the end of a job, counts as well.
#pragma once

#include "harness/sys/signals.h"

namespace sglexp {

class StopRequest {
 public:
  // `watch_input` false: started by hand, standard input says nothing.
  StopRequest(const StopSignals& signals, bool watch_input)
      : signals_(signals), watch_input_(watch_input) {}
  [[nodiscard]] bool requested();

 private:
  const StopSignals& signals_;
  bool watch_input_;
  bool input_ended_ = false;
};

}  // namespace sglexp
