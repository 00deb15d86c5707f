// SPDX-License-Identifier: Apache-2.0
// The run as a whole, as the store keeps it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/outcome.h"

namespace sglexp {

struct ArmInfo {
  std::string name;
  bool is_base = false;
  std::string factors_json;  // what this arm changes, as effective values
  std::string compare_key;   // equal keys may be compared across runs
};

struct MetricDefinition {
  std::string name;
  std::string unit;
  std::string direction;  // higher, lower, none
  std::string kind;       // level, rate, count, exact
  std::optional<double> margin_rel;
  bool gate = false;
};

struct RunInfo {
  std::string uuid;
  std::string token;  // in job name and comment; finds our job after a crash
  std::string scenario;
  std::string cluster;
  std::string kind = "experiment";  // experiment, nightly, pr, adhoc
  std::string status = "running";   // running, complete, partial, aborted
  std::string started_utc;
  std::string ended_utc;
  std::string run_dir;
  std::string spec_json;
  std::string spec_hash;
  std::uint64_t seed = 0;
  std::string tool_version;
  bool simulated = false;
  std::string simulated_why;  // "mock scheduler, fake engine, recorded topology"
  std::optional<Outcome> outcome;
  std::optional<Failure> failure;
  std::vector<std::string> job_ids;
  std::vector<ArmInfo> arms;
  std::vector<MetricDefinition> metrics;
};

}  // namespace sglexp
