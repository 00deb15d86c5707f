// SPDX-License-Identifier: Apache-2.0
#include "harness/run/recorded_topology.h"

#include <unistd.h>

namespace sglexp {

std::string topology_path(const NodeTypeSpec& node_type, const InstallPaths& paths) {
  return node_type.topology == "discover"
             ? ""
             : paths.share + "/fixtures/topologies/" + node_type.topology;
}

Result<Topology> load_topology(const std::string& file) {
  return file.empty() ? read_sysfs_topology("/") : load_recorded_topology(file);
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return out;
}

}  // namespace sglexp
