// SPDX-License-Identifier: Apache-2.0
// Where everything of a run lies. One directory a run, shared by all nodes of its jobs, readable by
// its owner alone (an engine's environment may hold secrets):
//
//   run.json            identity: uuid, token, how the files below were overridden
//   scenario.yaml, profile.yaml   copies of the inputs, byte for byte
//   plan.json           the expanded plan, for people; the agent expands the inputs again
//   controller.jsonl    journal of the controller: what was submitted, how jobs ended
//   jobs/NAME/          job.sh, batch.log, journal.jsonl (the agent's), nodes/NODE.json, checks.json
//   slots/sNN-ARM/      exec specs, engine logs, what each process really got
//   trials/KEY.json     TrialRecord; KEY.requests.jsonl its requests
//   report.md, report.json
#pragma once

#include <string>

#include "harness/record/trial.h"
#include "harness/scenario/plan.h"

namespace sglexp {

class RunDir {
 public:
  explicit RunDir(std::string root) : root_(std::move(root)) {}
  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string file(const std::string& name) const { return root_ + "/" + name; }
  [[nodiscard]] std::string job_dir(const std::string& job) const { return root_ + "/jobs/" + job; }
  [[nodiscard]] std::string job_journal(const std::string& job) const {
    return job_dir(job) + "/journal.jsonl";
  }
  [[nodiscard]] std::string batch_log(const std::string& job) const {
    return job_dir(job) + "/batch.log";
  }
  [[nodiscard]] std::string slot_dir(const SlotPlan& slot, const Scenario& scenario) const;
  [[nodiscard]] std::string trial_file(const TrialKey& key) const {
    return root_ + "/trials/" + key.text() + ".json";
  }
  [[nodiscard]] std::string requests_file(const TrialKey& key) const {
    return root_ + "/trials/" + key.text() + ".requests.jsonl";
  }
  // The path without the root in front, as journals and records carry it.
  [[nodiscard]] std::string relative(const std::string& path) const;

 private:
  std::string root_;
};

}  // namespace sglexp
