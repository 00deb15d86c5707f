// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cluster_tools.h"

#include <cstdlib>

#include "harness/slurm/slurm_scheduler.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

std::string variable_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

}  // namespace

Result<std::unique_ptr<Scheduler>> make_scheduler(const ClusterProfile& profile,
                                                  const InstallPaths& paths,
                                                  const std::string& runs_root,
                                                  ProcessRunner& runner, Clock& clock) {
  SlurmOptions options;
  if (profile.scheduler == SchedulerKind::kMock) {
    options.bin_dir = paths.libexec + "/mock_slurm";
    const std::string cluster = variable_or(
        "MOCK_SLURM_CLUSTER", paths.share + "/fixtures/mock_clusters/" + profile.mock_cluster);
    for (const std::string& needed : {options.bin_dir + "/sbatch", cluster}) {
      if (!path_exists(needed)) {
        return Error{ErrorCode::kNotFound, "mock Slurm is not complete: no " + needed};
      }
    }
    options.env = {
        {"MOCK_SLURM_STATE", variable_or("MOCK_SLURM_STATE", runs_root + "/.mock-" + profile.name)},
        {"MOCK_SLURM_CLUSTER", cluster}};
  }
  return std::unique_ptr<Scheduler>(
      std::make_unique<SlurmScheduler>(runner, clock, std::move(options)));
}

}  // namespace sglexp
