// SPDX-License-Identifier: Apache-2.0
#include "harness/store/trials_digest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/base/digest.h"

namespace sglexp {

namespace {

// Lengths in front keep "ab","c" and "a","bc" apart.
void put(std::string& out, std::string_view text) {
  out += fmt::format("{}:{}", text.size(), text);
}

std::string line_of(const TrialRecord& trial) {
  std::string out;
  put(out, trial.key.text());
  put(out, std::to_string(trial.key.slot));
  put(out, trial_status_name(trial.status));
  put(out, trial.discard_reason);
  put(out, trial.output_digest);
  for (const MetricValue& metric : trial.metrics) {
    put(out, metric.name);
    put(out, metric.unit);
    put(out, metric.value ? fmt::format("{:a}", *metric.value) : "none");
  }
  return out;
}

}  // namespace

std::string trials_digest(std::span<const TrialRecord> trials) {
  std::vector<std::string> lines;
  lines.reserve(trials.size());
  for (const TrialRecord& trial : trials) {
    lines.push_back(line_of(trial));
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) {
    put(all, line);
  }
  return sha256_hex(all);
}

}  // namespace sglexp
