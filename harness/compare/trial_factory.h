// SPDX-License-Identifier: Apache-2.0
// Trials for the tests of this module: counted, with one metric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/trial.h"

namespace sglexp {

struct TrialSketch {
  std::string arm = "a";
  int block = 0;
  int slot = 0;
  std::string load_point = "c16";
  int attempt = 0;
};

inline MetricValue sketch_metric(const std::string& name, std::optional<double> value,
                                 Direction direction = Direction::kHigherIsBetter,
                                 const std::string& unit = "tok/s") {
  MetricValue metric;
  metric.name = name;
  metric.unit = unit;
  metric.direction = direction;
  metric.value = value;
  metric.n = value ? 100 : 0;
  return metric;
}

inline TrialRecord sketch_trial(const TrialSketch& sketch, std::vector<MetricValue> metrics = {}) {
  TrialRecord trial;
  trial.key = {sketch.arm, sketch.block, sketch.slot, sketch.load_point, sketch.attempt};
  trial.status = TrialStatus::kOk;
  trial.outcome = Outcome::kPassed;
  trial.metrics = std::move(metrics);
  return trial;
}

}  // namespace sglexp
