// SPDX-License-Identifier: Apache-2.0
// A world of its own for one end-to-end test: database, run directories, mock Slurm state and home
// in a private directory; the real binary; and proof at the end that nothing is left.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/sys/files.h"
#include "harness/sys/proc_fs.h"
#include "harness/sys/process.h"

namespace sglexp {

class World : public ::testing::Test {
 protected:
  World();
  // Fails if any process of this world is still there.
  void TearDown() override;

  [[nodiscard]] const std::string& path() const { return dir_.path(); }
  [[nodiscard]] std::string database() const { return path() + "/sglexp.db"; }
  [[nodiscard]] std::string mock_state() const { return path() + "/slurm"; }
  // Every process of this world: sglexp itself, the mock's, and all that runs in its jobs.
  [[nodiscard]] std::vector<ProcessInfo> processes() const;
  // Runs `sglexp ARGS...` to its end; 5 minutes at most.
  [[nodiscard]] Completed sglexp(std::vector<std::string> args, Nanos timeout = Seconds(300));
  // Starts it and returns at once.
  [[nodiscard]] std::unique_ptr<Child> start_sglexp(std::vector<std::string> args,
                                                    const std::string& log);
  // `run SCENARIO --cluster PROFILE --json ...` -> the JSON object it printed.
  [[nodiscard]] nlohmann::json run_json(std::vector<std::string> args);

  // The shipped mock profile with lines added to the sglang engine's (or router's) environment.
  [[nodiscard]] std::string profile_with_env(const std::string& engine,
                                             const std::string& yaml_lines);
  // The second node's TaskProlog exports these variables in every step.
  void task_prolog_on_second_node(const nlohmann::json& variables);
  void set_env(const std::string& name, const std::string& value) {
    env_.emplace_back(name, value);
  }
  // What the mock Slurm is to do wrong (fixtures/mock_slurm/README.md).
  void script_faults(const std::string& json);
  [[nodiscard]] std::string write_file(const std::string& name, const std::string& text);
  [[nodiscard]] static std::string source_file(const std::string& name);

  // Waits until `condition` holds; false after `limit`.
  [[nodiscard]] bool wait_for(const std::function<bool()>& condition, Nanos limit = Seconds(30));

  SystemProcessRunner runner_;
  SystemClock clock_;
  Completed last_;  // of the last sglexp()

 private:
  [[nodiscard]] Command command(std::vector<std::string> args) const;
  TempDir dir_;
  std::vector<std::pair<std::string, std::string>> env_;
};

// A short numa_compare: few blocks, one load point.
[[nodiscard]] std::vector<std::string> short_numa_compare();

}  // namespace sglexp
