// SPDX-License-Identifier: Apache-2.0
// A Scheduler whose answers functions decide; it keeps everything that it was asked.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/slurm/scheduler.h"

namespace sglexp {

class FakeScheduler : public Scheduler {
 public:
  // What it answers. By default it accepts jobs as 101, 102 ..., knows of none by token, and says
  // that every job is pending.
  std::function<Result<std::string>(const JobSpec&)> on_submit = [this](const JobSpec&) {
    return Result<std::string>(std::to_string(100 + submitted.size()));
  };
  std::function<Result<std::vector<std::string>>(std::string_view)> on_find = [](std::string_view) {
    return std::vector<std::string>{};
  };
  std::function<Result<JobState>(const std::string&)> on_poll = [](const std::string& id) {
    return JobState{
        .id = id, .phase = JobPhase::kPending, .word = "PENDING", .reason = "Resources"};
  };
  std::function<Status(const std::string&)> on_cancel = [](const std::string&) {
    return Status(Ok{});
  };
  std::vector<NodeAllocation> nodes;  // of every job

  // What it was asked, in order.
  std::vector<JobSpec> submitted;
  std::vector<std::string> tokens;
  std::vector<std::string> cancelled;
  int polls = 0;

  Result<std::string> submit(const JobSpec& spec) override {
    submitted.push_back(spec);
    return on_submit(spec);
  }
  Result<std::vector<std::string>> find(std::string_view token) override {
    tokens.emplace_back(token);
    return on_find(token);
  }
  Result<std::vector<JobState>> poll(std::span<const std::string> ids) override {
    ++polls;
    std::vector<JobState> states;
    for (const std::string& id : ids) {
      SGLEXP_TRY(JobState state, on_poll(id));
      states.push_back(std::move(state));
    }
    return states;
  }
  Status cancel(const std::string& id) override {
    cancelled.push_back(id);
    return on_cancel(id);
  }
  Result<std::vector<NodeAllocation>> allocation(const std::string& /*id*/) override {
    return nodes;
  }
};

}  // namespace sglexp
