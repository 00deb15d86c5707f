// SPDX-License-Identifier: Apache-2.0
// Reading `scontrol --details show job ID` and `scontrol show node LIST`.
//
// The many-line form, not -o: a job's name and comment may hold "JobState=..." themselves, but they
// cannot begin a line with it before the real one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/slurm/parse_sacct.h"
#include "harness/slurm/scheduler.h"

namespace sglexp {

struct JobRecord {
  std::string id;
  std::string word;
  std::string reason;
  std::string hostlist;  // empty before the job has nodes
  int restarts = 0;
  ExitPair exit;
  // One entry a node: Slurm merges nodes with equal shares into one line. Addresses are empty here.
  // GPUs vanish from the record when the job ends.
  std::vector<NodeAllocation> nodes;
};

// kUnavailable: not such a record.
[[nodiscard]] Result<JobRecord> parse_job_record(std::string_view out);

// NodeName -> NodeAddr.
[[nodiscard]] std::map<std::string, std::string> parse_node_addresses(std::string_view out);

// "gpu:mi210:4(IDX:0-1,4-5),nic:1(IDX:0)" -> 0 1 4 5; every type of gpu counts.
[[nodiscard]] std::vector<int> parse_gpu_indices(std::string_view gres);

}  // namespace sglexp
