// SPDX-License-Identifier: Apache-2.0
// Scenario x cluster profile -> what exactly will run, in order. Pure and seeded: the agent expands
// the same files again inside the job and refuses to start where the digest differs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

struct TrialPlan {
  int load_point = 0;             // index into Scenario::load.points
  std::uint64_t prompt_seed = 0;  // equal for every arm of a block: common random numbers
};

// One engine launch.
struct SlotPlan {
  int index = 0;  // in the whole run
  int block = 0;
  int position = 0;               // within the block
  int arm = 0;                    // index into Scenario::arms
  std::uint64_t launch_seed = 0;  // also the engine's --random-seed: proves that it is our worker
  std::vector<TrialPlan> trials;  // in run order
};

struct JobPlan {
  std::string name;        // "shared", or "s03-cross_numa": directory under RUN_DIR/jobs
  std::vector<int> slots;  // indices into Plan::slots
};

struct Plan {
  std::vector<SlotPlan> slots;
  std::vector<JobPlan> jobs;
  int trials = 0;
  bool simulated = false;
  std::string simulated_why;  // "mock scheduler, fake engine, recorded topology"
  Nanos estimated{0};         // sum of typical phase times, for render
  Nanos worst_case{0};        // sum of deadlines
  double gpu_hours = 0;       // of the estimate, over all allocated GPUs
  std::string digest;         // sha256 over scenario, profile and slots
};

// kInvalidInput where scenario and profile do not fit each other (unknown node type or engine, more
// GPUs than the node has, a time limit below the estimate ...).
[[nodiscard]] Result<Plan> expand(const Scenario& scenario, const ClusterProfile& profile);
[[nodiscard]] std::string plan_to_json(const Scenario& scenario, const ClusterProfile& profile,
                                       const Plan& plan);

}  // namespace sglexp
