// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/base/result.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/sys/install_paths.h"
#include "harness/topology/topology.h"

namespace sglexp {

// A node type's recorded topology file, empty where the node is to be discovered.
[[nodiscard]] std::string topology_path(const NodeTypeSpec& node_type, const InstallPaths& paths);
// The recorded file, or this machine where `file` is empty.
[[nodiscard]] Result<Topology> load_topology(const std::string& file);
// This process's environment.
[[nodiscard]] std::map<std::string, std::string> own_environment();

}  // namespace sglexp
