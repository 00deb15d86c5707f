// SPDX-License-Identifier: Apache-2.0
// One call of a Slurm command: where it is found and what environment it (and a job submitted by
// it) gets.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/base/units.h"
#include "harness/sys/process.h"

namespace sglexp {

struct SlurmOptions {
  std::string bin_dir;  // put in front of PATH, for the commands and for the job
  std::vector<std::pair<std::string, std::string>> env;  // further variables, for both
  std::string user;                    // whose jobs find() looks at; empty: this process's user
  Nanos command_timeout{Seconds(30)};  // above Slurm's own MessageTimeout of 10 s and its retries
  Nanos history_period{Seconds(5)};    // a job unknown to the controller: ask sacct this seldom
};

// A clean environment: a login shell's SBATCH_*, SLURM_* or HIP_VISIBLE_DEVICES reach neither the
// command nor the job. Kept: who the user is (HOME, USER, LOGNAME, SHELL), PATH, language and time
// zone, and which cluster is meant (SLURM_CONF, SLURM_JWT, KRB5CCNAME).
[[nodiscard]] Command slurm_command(std::vector<std::string> argv, const SlurmOptions& options);

}  // namespace sglexp
