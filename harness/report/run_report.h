// SPDX-License-Identifier: Apache-2.0
// Everything that a report says about one run: a plain value, read from the store by the caller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/check.h"
#include "harness/record/comparison.h"
#include "harness/record/outcome.h"
#include "harness/record/run_info.h"
#include "harness/record/trial.h"

namespace sglexp {

struct ReportJob {
  std::string id;
  std::string name;
  std::string state;  // Slurm's word
};

// One fact about a node ("" = the cluster): "kernel" = "6.1.0", "rocm" = "6.2.4".
struct EnvironmentValue {
  std::string node;
  std::string name;
  std::string value;
};

struct RunReport {
  RunInfo run;                    // without an outcome: it has not ended yet
  ExitCode exit = ExitCode::kOk;  // what this outcome means under the caller's policy
  std::vector<ReportJob> jobs;    // empty: RunInfo::job_ids are shown
  std::vector<CheckResult> checks;
  std::vector<TrialRecord> trials;
  std::optional<Comparison> comparison;
  std::vector<EnvironmentValue> environment;
  std::string reproduce;    // command line; empty: made from scenario, cluster and seed
  std::string report_file;  // path of the Markdown report, empty: none was written
  std::string database;     // path, empty: not shown
};

// A line of the list of runs.
struct RunListRow {
  RunInfo run;
  int trials = 0;
  int trials_ok = 0;
};

}  // namespace sglexp
