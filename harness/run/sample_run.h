// SPDX-License-Identifier: Apache-2.0
// For tests: a run on disk, made from a scenario and a profile that ship, and the lines that its
// agent would write.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/record/journal.h"
#include "harness/record/trial.h"
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

inline RunFiles sample_run(const std::string& runs_root,
                           const RunInputs& inputs = sample_inputs()) {
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

// Appends one line to the journal of a job, as its agent does.
inline void journal_line(const RunFiles& run, const std::string& job, const std::string& type,
                         const std::string& members = "") {
  const SystemClock clock;
  auto journal = JournalWriter::open(run.dir.job_journal(job), clock);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  const Status told = journal->append(type, members);
  ASSERT_TRUE(told.ok()) << told.error().message;
}

// A trial as it is recorded when all went well, on these nodes.
inline TrialRecord sample_trial(const RunFiles& run, const SlotPlan& slot, const TrialPlan& trial,
                                double tokens_per_second,
                                const std::vector<std::string>& nodes = {"mi210-01", "mi210-02"}) {
  TrialRecord record{
      .key = {.arm = run.scenario.arms[static_cast<std::size_t>(slot.arm)].name,
              .block = slot.block,
              .slot = slot.index,
              .load_point =
                  run.scenario.load.points[static_cast<std::size_t>(trial.load_point)].name},
      .job_id = "101",
      .started_utc = "2026-11-30T21:20:00.000Z",
      .measured_s = 1,
      .status = TrialStatus::kOk,
      .outcome = Outcome::kPassed,
      .metrics = {{.name = "output_tok_s",
                   .unit = "tok/s",
                   .direction = Direction::kHigherIsBetter,
                   .value = tokens_per_second,
                   .n = 8}}};
  for (const std::string& node : nodes) {
    record.placement.push_back({.role = "worker", .name = "w-" + node, .node = node});
  }
  return record;
}

}  // namespace sglexp
