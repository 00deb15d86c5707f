// SPDX-License-Identifier: Apache-2.0
// From what the store holds of a run to its outcome, comparison and reports.
#pragma once

#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/record/outcome.h"
#include "harness/report/run_report.h"
#include "harness/run/run_files.h"
#include "harness/store/store.h"

namespace sglexp {

// How the jobs ended.
struct JobsEnd {
  Outcome outcome = Outcome::kPassed;
  std::optional<Failure> failure;
  bool interrupted = false;  // by the user's own Ctrl-C
};

// Compares the arms, decides the outcome, stores both and writes report.md and report.json.
// A run whose jobs all passed but whose record lacks a planned trial is `invalid`: what was not
// measured is a failure.
[[nodiscard]] Result<Outcome> conclude_run(const RunFiles& run, const JobsEnd& jobs,
                                           const ExitPolicy& policy, const std::string& ended_utc,
                                           Store& store);

// Everything that reports say about a stored run.
[[nodiscard]] Result<RunReport> load_run_report(const std::string& run_uuid,
                                                const ExitPolicy& policy, const Store& store);

}  // namespace sglexp
