// SPDX-License-Identifier: Apache-2.0
// What the agent asks of node-exec for one process, and what node-exec says back. Both travel as
// JSON files in the slot's directory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/record/check.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

struct ExecSpec {
  std::string name;  // "w0", "router"
  std::string node;
  std::string run_token;
  std::string topology_file;      // recorded; empty: the node's own
  std::vector<std::string> gpus;  // PCI addresses it must see; empty: a process without GPUs
  std::vector<int> cpus;
  std::vector<int> mem_nodes;
  bool bind = true;  // false: a recorded topology, binding is only planned
  std::string address;
  std::vector<int> ports;  // must be free
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  std::string cache_root;
  std::string status_file;  // ExecStatus, rewritten atomically at each change
  Nanos grace{0};           // between SIGTERM and SIGKILL
  std::map<std::string, CheckLevel> levels;
};
[[nodiscard]] std::string exec_spec_to_json(const ExecSpec& spec);
[[nodiscard]] Result<ExecSpec> parse_exec_spec(std::string_view json);

enum class ExecState { kRefused, kRunning, kEnded };

struct ExecStatus {
  ExecState state = ExecState::kRefused;
  std::vector<CheckResult> checks;
  int pid = 0;
  std::string observed_cpus;               // Cpus_allowed_list of the running process
  std::vector<std::string> observed_gpus;  // what its own environment lets it see, PCI addresses
  std::string ended;                       // "exit code 1", once ended
  bool stopped_by_us = false;              // it ended after we asked it to
  int leftovers = 0;                       // descendants that outlived it and were killed
};
[[nodiscard]] std::string exec_status_to_json(const ExecStatus& status);
[[nodiscard]] Result<ExecStatus> parse_exec_status(std::string_view json);

// Exit code of node-exec when a required check failed and nothing was started (EX_CONFIG).
inline constexpr int kExecRefused = 78;

// In the environment of every process that node-exec starts: what postflight looks for.
inline constexpr const char* kOwnerVariable = "SGLEXP_OWNER";
[[nodiscard]] std::string owner_value(std::string_view run_token);

}  // namespace sglexp
