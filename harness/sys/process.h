// SPDX-License-Identifier: Apache-2.0
// The seam to other programs. A command is an argv vector, never a shell string.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/sys/clock.h"

namespace sglexp {

struct Command {
  std::vector<std::string> argv;  // argv[0] is looked up in the child's PATH
  bool clear_env = false;         // start from nothing instead of this process's environment
  std::vector<std::pair<std::string, std::string>> env_set;
  std::vector<std::string> env_unset;
  std::string cwd;          // empty: unchanged
  bool hold_stdin = false;  // start() only: standard input is a pipe until Child::close_stdin()
  std::string stdin_text;   // empty: /dev/null
  std::string stdout_path;  // appended to; empty: captured by run(), inherited by start()
  std::string stderr_path;  // the same; equal to stdout_path: one shared file description
  bool own_group = true;    // new process group, so that signals reach descendants
  Nanos timeout{0};         // run() only; 0 = none; then the whole group is killed
};

struct ExitStatus {
  int code = -1;   // exit code, -1 if killed by a signal
  int signal = 0;  // the signal that ended it, else 0
  [[nodiscard]] bool success() const { return code == 0 && signal == 0; }
  // "exit code 3" or "killed by signal 9 (KILL)".
  [[nodiscard]] std::string describe() const;
};

// A finished command. A non-zero exit is data, not an Error.
struct Completed {
  ExitStatus status;
  bool timed_out = false;
  bool truncated = false;  // more than 64 MiB of output: the rest was dropped
  std::string out;
  std::string err;
};

// A running child that this process owns. The destructor kills its group and reaps it.
class Child {
 public:
  virtual ~Child() = default;
  [[nodiscard]] virtual pid_t pid() const = 0;
  // Its status once it has ended, without waiting.
  [[nodiscard]] virtual std::optional<ExitStatus> poll() = 0;
  // To the child's group if it has one of its own. No effect after it ended.
  virtual void signal(int number) = 0;
  // Ends the standard input of a child that was started with hold_stdin; else nothing.
  virtual void close_stdin() = 0;
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // kNotFound: no such program. kInternal: fork or pipes failed.
  [[nodiscard]] virtual Result<Completed> run(const Command& command) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<Child>> start(const Command& command) = 0;
};

class SystemProcessRunner : public ProcessRunner {
 public:
  [[nodiscard]] Result<Completed> run(const Command& command) override;
  [[nodiscard]] Result<std::unique_ptr<Child>> start(const Command& command) override;
};

// Ends a child: `first_signal`, then SIGKILL after `grace`. Returns how it ended; empty if it
// survived even SIGKILL for 5 s (uninterruptible sleep), which callers report as a leftover.
std::optional<ExitStatus> stop_child(Child& child, Clock& clock, Nanos grace, int first_signal);

}  // namespace sglexp
