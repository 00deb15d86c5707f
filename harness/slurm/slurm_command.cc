// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/slurm_command.h"

#include <array>
#include <cstdlib>

namespace sglexp {
namespace {

constexpr std::array<const char*, 10> kKeptVariables = {
    "HOME",   "USER", "LOGNAME",    "SHELL",      "LANG",
    "LC_ALL", "TZ",   "KRB5CCNAME", "SLURM_CONF", "SLURM_JWT"};

}  // namespace

Command slurm_command(std::vector<std::string> argv, const SlurmOptions& options) {
  Command command;
  command.argv = std::move(argv);
  command.clear_env = true;
  command.timeout = options.command_timeout;
  for (const char* name : kKeptVariables) {
    if (const char* value = std::getenv(name); value != nullptr) {
      command.env_set.emplace_back(name, value);
    }
  }
  const char* path = std::getenv("PATH");
  const std::string inherited = path == nullptr ? "/usr/bin:/bin" : path;
  command.env_set.emplace_back(
      "PATH", options.bin_dir.empty() ? inherited : options.bin_dir + ":" + inherited);
  command.env_set.insert(command.env_set.end(), options.env.begin(), options.env.end());
  return command;
}

}  // namespace sglexp
