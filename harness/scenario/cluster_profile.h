// SPDX-License-Identifier: Apache-2.0
// Where to run: what is true of a cluster whatever the scenario. Files: scenarios/clusters/*.yaml.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace sglexp {

enum class SchedulerKind { kSlurm, kMock };

struct NodeTypeSpec {
  int gpus = 0;
  int cpus = 0;
  std::string gres = "gpu";           // "gpu:mi210": what --gres and --gpus-per-node name
  std::string topology = "discover";  // or a file under share/sglexp/fixtures/topologies: simulated
};

struct EngineInstall {
  std::vector<std::string> command;  // argv prefix; "{libexec}" and "{share}" are replaced
  std::map<std::string, std::string> env;
  bool fake = false;  // results are simulated
};

struct LimitDemands {
  std::optional<std::int64_t> open_files;  // RLIMIT_NOFILE at least
  std::optional<std::string> memlock;      // "unlimited" or a size
};

struct ClusterProfile {
  std::string name;
  std::string description;
  std::string file;
  SchedulerKind scheduler = SchedulerKind::kSlurm;
  std::string mock_cluster;        // mock only: file under share/sglexp/fixtures/mock_clusters
  Nanos poll_period{0};            // 200ms on the mock, 30s on Slurm unless written
  std::string poll_period_reason;  // why a real Slurm may be asked more often than every 30 s
  std::string partition, account, qos, reservation, exclude, constraint;
  std::vector<std::string> sbatch_args;  // further words for sbatch
  std::vector<std::string> setup;        // shell lines of the site, copied into the batch script
  std::string runs_dir;                  // shared by all nodes; empty: beside the database
  std::string cache_root = "/tmp/{user}/sglexp/{job}/{node}";  // node-local
  int port_base = 20000;  // first port; below the ephemeral range
  int port_count = 10000;
  bool loopback_addresses = false;  // nodes may share one host (mock only)
  LimitDemands limits;
  Nanos clock_offset = Millis(500);  // most that two nodes may differ
  std::map<std::string, NodeTypeSpec> node_types;
  std::map<std::string, EngineInstall> engines;
};

// Strict like scenarios (scenario.h); `overrides` are "key.path=value".
[[nodiscard]] Result<ClusterProfile> load_cluster_profile(
    const std::string& path, const std::vector<std::string>& overrides = {});
[[nodiscard]] Result<ClusterProfile> parse_cluster_profile(
    std::string_view yaml, const std::string& path, const std::vector<std::string>& overrides = {});
// Effective values as JSON, stable key order, secrets masked, without `file`.
[[nodiscard]] std::string cluster_profile_to_json(const ClusterProfile& profile);

}  // namespace sglexp
