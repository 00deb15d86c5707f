// SPDX-License-Identifier: Apache-2.0
// One slot: place, launch, wait until it serves, measure every load point, collect, tear down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/health/readiness.h"
#include "harness/load/load_job.h"
#include "harness/placement/placement.h"
#include "harness/record/check.h"
#include "harness/record/trial.h"
#include "harness/run/engine_processes.h"
#include "harness/run/job_context.h"

namespace sglexp {

class SlotRun {
 public:
  SlotRun(JobContext& context, const SlotPlan& slot);

  // Always tears down what it launched. Every trial of the slot ends up in the journal, measured or
  // failed with the slot's cause. A failure is returned once, told by its first cause.
  [[nodiscard]] std::optional<Failure> run();

 private:
  // Each phase returns the failure that ends the slot, if any.
  [[nodiscard]] std::optional<Failure> launch_and_measure();
  [[nodiscard]] std::optional<Failure> place_processes();
  [[nodiscard]] Status launch();
  [[nodiscard]] std::optional<Failure> wait_until_ready();
  [[nodiscard]] std::optional<Failure> measure(const TrialPlan& trial);
  [[nodiscard]] std::optional<Failure> follow_load(Child& step, Nanos budget);

  [[nodiscard]] std::optional<Failure> await_dead_process(Nanos patience);
  [[nodiscard]] Status tell_slot_checks();

  [[nodiscard]] ReadinessTarget readiness_target() const;
  [[nodiscard]] LoadJob load_job(const TrialPlan& trial) const;
  [[nodiscard]] std::string front_url() const;
  [[nodiscard]] std::vector<PlacementRow> placement_rows() const;
  [[nodiscard]] std::string server_info() const;
  [[nodiscard]] Failure with_slot(Failure failure) const;
  [[nodiscard]] const LoadPoint& load_point(const TrialPlan& trial) const;
  [[nodiscard]] Status record_trial(const TrialPlan& trial, TrialRecord record);
  [[nodiscard]] Status record_unmeasured(const Failure& failure);

  JobContext& context_;
  const SlotPlan& slot_;
  const Scenario& scenario_;
  const ArmSpec& arm_;
  std::string dir_;
  Placement placement_;
  EngineProcesses processes_;
  std::vector<CheckResult> checks_;  // of this slot, not yet told
  std::vector<const TrialPlan*> recorded_;
  std::string load_observed_cpus_;
};

}  // namespace sglexp
