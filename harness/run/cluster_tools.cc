// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cluster_tools.h"

#include <cstdlib>

#include "harness/slurm/slurm_scheduler.h"
#include "harness/sys/files.h"

namespace sglexp {

Result<std::unique_ptr<Scheduler>> make_scheduler(const ClusterProfile& profile,
                                                  const InstallPaths& paths,
                                                  const std::string& runs_root,
                                                  ProcessRunner& runner, Clock& clock) {
  SlurmOptions options;
  if (profile.scheduler == SchedulerKind::kMock) {
    options.bin_dir = paths.libexec + "/mock_slurm";
    const std::string cluster = profile.mock_cluster.starts_with('/')
                                    ? profile.mock_cluster
                                    : paths.share + "/fixtures/mock_clusters/" + profile.mock_cluster;
    for (const std::string& needed : {options.bin_dir + "/sbatch", cluster}) {
      if (!path_exists(needed)) {
        return Error{ErrorCode::kNotFound, "mock Slurm is not complete: no " + needed};
      }
    }
    const char* state = std::getenv("MOCK_SLURM_STATE");
    options.env = {
        {"MOCK_SLURM_STATE", state != nullptr ? state : runs_root + "/.mock-" + profile.name},
        {"MOCK_SLURM_CLUSTER", cluster}};
  }
  return std::unique_ptr<Scheduler>(
      std::make_unique<SlurmScheduler>(runner, clock, std::move(options)));
}

}  // namespace sglexp
