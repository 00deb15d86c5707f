// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/counted_trials.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sglexp {
namespace {

bool counts(const TrialRecord& trial) {
  return trial.status == TrialStatus::kOk && trial.outcome == Outcome::kPassed;
}

const MetricValue* find_metric(const TrialRecord& trial, std::string_view name) {
  const auto it = std::ranges::find(trial.metrics, name, &MetricValue::name);
  return it == trial.metrics.end() ? nullptr : &*it;
}

struct BlockValue {
  int block = 0;
  double value = 0;
};

// Takes unit, direction and complaints into `sample`; returns the values found, in trial order.
std::vector<BlockValue> read_values(const CountedTrials& trials, std::string_view metric,
                                    MetricSample& sample) {
  std::vector<BlockValue> values;
  for (const TrialRecord* trial : trials) {
    const MetricValue* m = find_metric(*trial, metric);
    if (m == nullptr) {
      sample.missing = fmt::format("{} does not report it", trial->key.text());
      continue;
    }
    if (!std::exchange(sample.found, true)) {
      sample.unit = m->unit;
      sample.direction = m->direction;
    } else if (m->unit != sample.unit || m->direction != sample.direction) {
      sample.mismatch = fmt::format("unit or direction differs: '{}' and '{}' ({})", sample.unit,
                                    m->unit, trial->key.text());
    }
    if (m->value && std::isfinite(*m->value)) {
      values.push_back({trial->key.block, *m->value});
    } else {
      sample.missing =
          fmt::format("{}: {}", trial->key.text(), m->reason.empty() ? "no value" : m->reason);
    }
  }
  return values;
}

std::map<int, double> block_means(const std::vector<BlockValue>& values) {
  std::map<int, std::pair<double, int>> sums;
  for (const BlockValue& v : values) {
    auto& [sum, n] = sums[v.block];
    sum += v.value;
    ++n;
  }
  std::map<int, double> means;
  for (const auto& [block, sum] : sums) {
    means[block] = sum.first / sum.second;
  }
  return means;
}

std::vector<double> plain_values(const std::vector<BlockValue>& values) {
  std::vector<double> plain;
  plain.reserve(values.size());
  for (const BlockValue& v : values) {
    plain.push_back(v.value);
  }
  return plain;
}

}  // namespace

CountedTrials counted_trials(std::span<const TrialRecord> trials, std::string_view arm,
                             std::string_view load_point) {
  std::map<std::pair<int, int>, const TrialRecord*> by_slot;
  for (const TrialRecord& trial : trials) {
    if (trial.key.arm != arm || trial.key.load_point != load_point || !counts(trial)) {
      continue;
    }
    const TrialRecord*& kept = by_slot[{trial.key.block, trial.key.slot}];
    if (kept == nullptr || kept->key.attempt < trial.key.attempt) {
      kept = &trial;
    }
  }
  CountedTrials counted;
  for (const auto& [slot, trial] : by_slot) {
    counted.push_back(trial);
  }
  return counted;
}

std::string describe_trials(std::span<const TrialRecord> trials, std::string_view arm,
                            std::string_view load_point) {
  int total = 0;
  std::map<std::string, int> by_end;
  for (const TrialRecord& trial : trials) {
    if (trial.key.arm == arm && trial.key.load_point == load_point) {
      ++total;
      const bool contradictory = trial.status == TrialStatus::kOk && !counts(trial);
      ++by_end[std::string(contradictory ? outcome_name(trial.outcome)
                                         : trial_status_name(trial.status))];
    }
  }
  if (total == 0) {
    return "no trials at all";
  }
  std::string text = fmt::format("{} trial{}:", total, total == 1 ? "" : "s");
  const char* separator = " ";
  for (const auto& [end, n] : by_end) {
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), n, end);
  }
  return text;
}

MetricSample collect_metric(const CountedTrials& base, const CountedTrials& candidate,
                            std::string_view metric, bool paired) {
  MetricSample sample;
  const auto base_values = read_values(base, metric, sample);
  const auto candidate_values = read_values(candidate, metric, sample);
  if (!paired) {
    sample.base = plain_values(base_values);
    sample.candidate = plain_values(candidate_values);
    return sample;
  }
  const auto base_blocks = block_means(base_values);
  const auto candidate_blocks = block_means(candidate_values);
  for (const auto& [block, value] : base_blocks) {
    if (const auto other = candidate_blocks.find(block); other != candidate_blocks.end()) {
      sample.base.push_back(value);
      sample.candidate.push_back(other->second);
    }
  }
  sample.blocks_left_out =
      static_cast<int>(base_blocks.size() + candidate_blocks.size() - 2 * sample.base.size());
  return sample;
}

bool share_a_block(const CountedTrials& base, const CountedTrials& candidate) {
  return std::ranges::any_of(base, [&](const TrialRecord* a) {
    return std::ranges::any_of(candidate,
                               [&](const TrialRecord* b) { return a->key.block == b->key.block; });
  });
}

}  // namespace sglexp
