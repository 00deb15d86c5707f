// SPDX-License-Identifier: Apache-2.0
// The engine processes of one slot: each a job step that runs node-exec, with a log and a status
// file. Owned here from start to end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/outcome.h"
#include "harness/run/exec_spec.h"
#include "harness/run/job_context.h"

namespace sglexp {

class EngineProcesses {
 public:
  EngineProcesses(const JobContext& context, std::string slot_dir)
      : context_(context), dir_(std::move(slot_dir)) {}

  [[nodiscard]] std::string log(const std::string& name) const {
    return dir_ + "/" + name + ".log";
  }

  [[nodiscard]] std::string spec_file(const std::string& name) const {
    return dir_ + "/" + name + ".exec.json";
  }

  // Common members of a process's spec: paths, token, grace, check levels.
  [[nodiscard]] ExecSpec spec(const std::string& name, const std::string& node) const;
  [[nodiscard]] Status start(const ExecSpec& spec, bool with_gpus);

  // How the process ended, in words; empty while it runs.
  [[nodiscard]] std::optional<std::string> ended(const std::string& name) const;
  // What node-exec last said about it.
  [[nodiscard]] std::optional<ExecStatus> status(const std::string& name) const;
  // A process that node-exec did not start, with the check that failed.
  [[nodiscard]] std::optional<Failure> refused() const;
  // The first process that is no longer there, with the first cause from its log.
  [[nodiscard]] std::optional<Failure> dead(const std::string& phase) const;
  // Ends all of them at once. A failure names one that could not be ended.
  [[nodiscard]] std::optional<Failure> stop_all();

 private:
  struct Process {
    std::string name;
    std::string node;
    std::unique_ptr<Child> step;
  };

  const JobContext& context_;
  std::string dir_;
  std::vector<Process> processes_;
};

}  // namespace sglexp
