// SPDX-License-Identifier: Apache-2.0
// For tests: a run on disk, made from a scenario and a profile that ship, and the lines that its
// agent would write.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/record/journal.h"
#include "harness/run/run_files.h"
#include "harness/sys/clock.h"
#include "harness/sys/files.h"

namespace sglexp {

inline RunInputs sample_inputs(const std::vector<std::string>& overrides = {},
                               const std::string& profile = "mi210_example",
                               const std::string& scenario = "numa_compare") {
  const std::string scenarios = std::string(SGLEXP_SOURCE_DIR) + "/scenarios/";
  return {.scenario_path = scenarios + scenario + ".yaml",
          .profile_path = scenarios + "clusters/" + profile + ".yaml",
          .overrides = {.scenario = overrides}};
}

inline RunFiles sample_run(const std::string& runs_root, const RunInputs& inputs) {
  auto run = load_inputs(inputs);
  EXPECT_TRUE(run.ok()) << run.error().message;
  const Status created =
      create_run(*run, inputs, runs_root, runs_root + "/sglexp.db", "2026-11-30T21:14:32.123Z");
  EXPECT_TRUE(created.ok()) << created.error().message;
  for (const JobPlan& job : run->plan.jobs) {
    EXPECT_TRUE(make_directories(run->dir.job_dir(job.name)).ok());
  }
  return *std::move(run);
}

inline RunFiles sample_run(const std::string& runs_root,
                           const std::vector<std::string>& overrides = {}) {
  return sample_run(runs_root, sample_inputs(overrides));
}

// Appends one line to the journal of a job, as its agent does.
inline void journal_line(const RunFiles& run, const std::string& job, const std::string& type,
                         const std::string& members = "") {
  const SystemClock clock;
  auto journal = JournalWriter::open(run.dir.job_journal(job), clock);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  const Status told = journal->append(type, members);
  ASSERT_TRUE(told.ok()) << told.error().message;
}

}  // namespace sglexp
