// SPDX-License-Identifier: Apache-2.0
// One load point within a slot (one engine launch of one arm within a block), as it happened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/outcome.h"

namespace sglexp {

enum class Direction { kHigherIsBetter, kLowerIsBetter, kNone };
[[nodiscard]] std::string_view direction_name(Direction direction);  // higher, lower, none
[[nodiscard]] std::optional<Direction> parse_direction(std::string_view name);

// A metric carries unit and direction wherever it goes. No value means: not measured, and why.
struct MetricValue {
  std::string name;  // "output_tok_s", "ttft_p50_ms" ...
  std::string unit;  // "tok/s", "ms", "1"
  Direction direction = Direction::kNone;
  std::optional<double> value;
  std::int64_t n = 0;  // samples behind the value
  std::string reason;  // why there is no value
};

// Log-linear histogram of durations, serialised (stats/histogram.h); merges exactly.
struct HistogramBlob {
  std::string name;  // "ttft", "itl", "e2e"
  std::string codec;
  std::int64_t total = 0;
  std::string bytes;
};

struct TrialKey {
  std::string arm;
  int block = 0;
  int slot = 0;  // position of the slot in the whole run, from 0
  std::string load_point;
  int attempt = 0;
  friend bool operator==(const TrialKey&, const TrialKey&) = default;
  // "b03-same_numa-c16-a0": unique in a run, safe as a file name.
  [[nodiscard]] std::string text() const;
};

// A GPU, or a CPU-only service, as it was placed and then seen. One row per worker and GPU.
struct PlacementRow {
  std::string role;  // "worker", "router", "load"
  std::string name;  // "w0"
  int rank = 0;      // GPU's position within its worker; 0 for services
  std::string node;
  int gpu_index = -1;   // physical index on the node; -1 for services
  std::string gpu_pci;  // PCI bus address, the identity
  int gpu_numa = -1;
  std::string cpus;  // planned mask as ranges
  std::string mem_nodes;
  int port = 0;
  std::string observed_cpus;  // what the process really had; "" = not measured
  std::string observed_gpus;  // PCI addresses that the engine really saw; "" = not measured
  bool simulated_binding = false;
};

enum class TrialStatus { kOk, kTestFailed, kInfraFailed, kDiscarded };
[[nodiscard]] std::string_view trial_status_name(TrialStatus status);
[[nodiscard]] std::optional<TrialStatus> parse_trial_status(std::string_view name);

struct TrialRecord {
  TrialKey key;
  std::string job_id;
  std::string started_utc;  // ISO-8601, UTC, milliseconds
  double warmup_s = 0;
  double measured_s = 0;
  TrialStatus status = TrialStatus::kInfraFailed;
  std::string discard_reason;  // from the closed list below, only with kDiscarded
  Outcome outcome = Outcome::kInvalid;
  std::optional<Failure> failure;
  std::vector<MetricValue> metrics;
  std::vector<HistogramBlob> histograms;
  std::vector<PlacementRow> placement;
  std::string output_digest;     // over the outputs of the trial's requests in order; greedy only
  std::string requests_file;     // relative to the run directory
  std::string server_info_json;  // redacted
};

// A trial may be left out of a comparison only for one of these.
inline constexpr std::string_view kDiscardReasons[] = {
    "node failed",
    "GPU reset or RAS error",
    "thermal or power throttle",
    "other user on node",
    "port clash",
    "preempted",
    "manipulation check failed",
};

}  // namespace sglexp
