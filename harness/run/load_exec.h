// SPDX-License-Identifier: Apache-2.0
// One load point as a process of its own: bound to CPUs that no engine has, killed without harm to
// the agent, on any node of the job. Its result is a pair of files.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/load/load_job.h"

namespace sglexp {

struct LoadExecSpec {
  LoadJob job;
  std::vector<int> cpus;
  bool bind = true;
  std::string requests_file;  // RequestRecords, JSON lines
  std::string result_file;    // LoadExecResult; written last, so its presence means: complete
};
[[nodiscard]] std::string load_exec_spec_to_json(const LoadExecSpec& spec);
[[nodiscard]] Result<LoadExecSpec> parse_load_exec_spec(std::string_view json);

// The part of a TrialRecord that the load client knows.
struct LoadExecResult {
  double warmup_s = 0;
  double measured_s = 0;
  int failed = 0;
  std::string first_failure;
  std::string invalid_reason;  // empty: the client kept up
  std::string output_digest;
  std::string observed_cpus;
  std::vector<MetricValue> metrics;
  std::vector<HistogramBlob> histograms;
};
[[nodiscard]] Result<LoadExecResult> read_load_exec_result(const std::string& path);

// Runs the load and writes both files.
[[nodiscard]] Status load_exec(const LoadExecSpec& spec, const std::atomic<bool>& stop);

}  // namespace sglexp
