// SPDX-License-Identifier: Apache-2.0
// What /proc says about processes: the proof of what runs where, and of what is left behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace sglexp {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string command;            // argv joined by blanks, printable, cut
  std::uint64_t start_ticks = 0;  // field 22 of stat: with the pid it names a process for ever
};

// Processes of this user whose environment holds NAME=VALUE exactly. Zombies are left out: they
// hold nothing but a table entry.
[[nodiscard]] std::vector<ProcessInfo> processes_with_env(std::string_view name,
                                                          std::string_view value);

// Sends `number` to `process` if that pid is still the same process. False: it is gone.
bool signal_process(const ProcessInfo& process, int number);

// Environment of a process as the kernel shows it (its initial one). kNotFound: gone or not ours.
[[nodiscard]] Result<std::map<std::string, std::string>> process_environment(pid_t pid);

// "Cpus_allowed_list" and so on from /proc/PID/status.
[[nodiscard]] std::optional<std::string> process_status_field(pid_t pid, std::string_view field);

}  // namespace sglexp
