// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/launch/launch.h"
#include "harness/launch/slurm_words.h"

namespace sglexp {

namespace {

// A step that names a type is refused ("Step requested GRES not found in the job") where the job
// asked without one, as placement by request does; the other way round works. Seen on 22.05.8.
std::string step_gres(const std::string& gres) {
  if (gres.empty()) {
    return "none";
  }
  const std::vector<std::string> parts = split(gres, ':');
  return parts.front() + ":" + parts.back();
}

}  // namespace

std::vector<std::string> srun_argv(const StepSpec& step) {
  std::vector<std::string> argv = {
      "srun",
      // Without it a second step waits for ever: the first one owns all CPUs of the job.
      "--overlap",
      "--nodes=1",
      // --ntasks-per-node=1 alone, inherited from the job, starts a task on each of the job's nodes.
      "--ntasks=1",
      "--nodelist=" + step.node,
      // Implies --exact, which without a count gives the step one CPU; 22.05 to 23.02 do not
      // inherit the job's count.
      fmt::format("--cpus-per-task={}", step.cpus),
      // node-exec binds, to CPUs near the worker's GPUs; it needs to see all of the job's.
      "--cpu-bind=none",
      // All of the job's memory; a site default per CPU would end in the out-of-memory killer.
      "--mem=0",
      // Always written: a plain step of an exclusive job has no GPU at all, and one that wants none
      // must not inherit any. No --gpu-bind: `none` takes the GPUs away on 22.05.
      "--gres=" + step_gres(step.gres),
      // What the task left behind when it failed is ended with it.
      "--kill-on-bad-exit=1",
      // A site default such as pmix may need a plugin that is not there; nothing here is MPI.
      "--mpi=none",
      // Only a step that its end of file asks to stop may read.
      step.forward_input ? "--input=0" : "--input=none",
      // A site default (SLURM_EXPORT_ENV) must not drop what the agent has set for its steps.
      "--export=ALL",
      "--open-mode=append",
      "--output=" + file_pattern(step.output),
      "--job-name=" + step.job_name,
  };
  argv.insert(argv.end(), step.argv.begin(), step.argv.end());
  return argv;
}

}  // namespace sglexp
