// SPDX-License-Identifier: Apache-2.0
// Placement -> the exact argv of every process, the srun words of every step, and the batch script.
// Pure: no file system, no clock. Everything here is shown by `sglexp render` before a job exists.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/placement/placement.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/plan.h"
#include "harness/scenario/scenario.h"
#include "harness/slurm/scheduler.h"
#include "harness/sys/install_paths.h"

namespace sglexp {

struct ProcessCommand {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // beyond what node-exec sets (visibility, caches)
};

// An engine's program and environment as the profile has them, with the program's own paths filled
// in. kInvalidInput: the profile has no such engine.
[[nodiscard]] Result<ProcessCommand> installed_engine(const std::string& kind,
                                                      const ClusterProfile& profile,
                                                      const InstallPaths& paths);

// Commands of SGLang's server and router, by full flag names: their parsers accept abbreviations, and
// an abbreviation that is unique today may not be so in the next release. kInvalidInput: the profile
// has no such engine.
[[nodiscard]] Result<ProcessCommand> worker_command(const Scenario& scenario, const ArmSpec& arm,
                                                    const ClusterProfile& profile,
                                                    const InstallPaths& paths,
                                                    const WorkerSpec& worker,
                                                    std::uint64_t launch_seed);
[[nodiscard]] Result<ProcessCommand> router_command(const Scenario& scenario,
                                                    const ClusterProfile& profile,
                                                    const InstallPaths& paths,
                                                    const Placement& placement);

// One job step on one node: one task, beside the other steps there.
struct StepSpec {
  std::string node;
  std::string gres;            // "gpu:8"; a type ("gpu:mi210:8") is left out; empty: --gres=none
  int cpus = 1;                // every CPU of the job on that node: node-exec binds within them
  bool forward_input = false;  // srun's standard input goes to the task; else it has none
  std::string job_name;        // carries the token
  std::string output;          // file for stdout and stderr, opened for appending
  std::vector<std::string> argv;
};
// Full srun argv, the program's own included. All options that a site default could change are explicit.
[[nodiscard]] std::vector<std::string> srun_argv(const StepSpec& step);

struct BatchJob {
  std::string run_dir;   // absolute
  std::string job_name;  // JobPlan::name
  std::string run_token;
  const ArmSpec* request_arm = nullptr;  // placement by request: whose request_args to use
  std::vector<std::string> pin_nodes;    // job per slot: the block's nodes, empty at first
};
// Script at RUN_DIR/jobs/NAME/job.sh, output in batch.log beside it. The scheduler adds name, comment
// and script to `args` itself.
[[nodiscard]] JobSpec job_spec(const Scenario& scenario, const ClusterProfile& profile,
                               const BatchJob& job);
// The script's text. It ends by becoming the agent. Only the profile's setup lines reach the shell
// as they are; paths are quoted.
[[nodiscard]] std::string batch_script(const Scenario& scenario, const ClusterProfile& profile,
                                       const InstallPaths& paths, const BatchJob& job);

}  // namespace sglexp
