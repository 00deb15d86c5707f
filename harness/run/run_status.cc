// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_status.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/record/journal.h"
#include "harness/run/controller_log.h"
#include "harness/run/journal_members.h"

namespace sglexp {

namespace {

using nlohmann::json;

Result<JobStatusLine> read_job(const RunFiles& run, const JobPlan& job, const JobProgress& record) {
  JobStatusLine line{.name = job.name, .id = record.id};
  line.state = record.outcome      ? std::string(outcome_name(*record.outcome))
               : record.id.empty() ? "not submitted"
                                   : "queued or running";
  JournalReader reader(run.dir.job_journal(job.name));
  SGLEXP_TRY(const std::vector<JournalEntry> entries, reader.read_new());
  for (const JournalEntry& entry : entries) {
    line.last_utc = entry.utc;
    if (entry.type == "phase") {
      line.phase = text_member(entry, "phase");
      line.slot = number_member(entry, "slot").value_or(-1);
    } else if (entry.type == "trial_finished") {
      ++line.trials_done;
    } else if (entry.type == "job_finished") {
      line.phase = "finished";
    }
  }
  return line;
}

}  // namespace

Result<RunStatus> read_run_status(const RunFiles& run, const RunInfo& info) {
  RunStatus status{.info = info,
                   .trials_planned = run.plan.trials,
                   .slots = static_cast<int>(run.plan.slots.size())};
  SGLEXP_TRY(const auto records, ControllerLog::read(run.dir));
  for (const JobPlan& job : run.plan.jobs) {
    const auto record = records.find(job.name);
    SGLEXP_TRY(JobStatusLine line,
               read_job(run, job, record == records.end() ? JobProgress{} : record->second));
    status.trials_done += line.trials_done;
    status.jobs.push_back(std::move(line));
  }
  return status;
}

std::string run_status_text(const RunStatus& status) {
  std::string out = fmt::format(
      "run {}  {} on {}  {}{}\ntrials {} of {}\n", status.info.uuid, status.info.scenario,
      status.info.cluster, status.info.status,
      status.info.outcome ? fmt::format(" ({})", outcome_name(*status.info.outcome)) : "",
      status.trials_done, status.trials_planned);
  for (const JobStatusLine& job : status.jobs) {
    out += fmt::format("job {:<10} {:<18} {}{}{}\n", job.id.empty() ? "-" : job.id, job.name,
                       job.state, job.phase.empty() ? "" : ", " + job.phase,
                       job.slot >= 0 && job.phase != "finished"
                           ? fmt::format(" (slot {} of {})", job.slot + 1, status.slots)
                           : "");
  }
  out += "files " + status.info.run_dir + "\n";
  return out;
}

std::string run_status_json(const RunStatus& status) {
  json jobs = json::array();
  for (const JobStatusLine& job : status.jobs) {
    jobs.push_back({{"name", job.name},
                    {"id", job.id.empty() ? json(nullptr) : json(job.id)},
                    {"state", job.state},
                    {"phase", job.phase},
                    {"slot", job.slot},
                    {"trials_done", job.trials_done},
                    {"last_utc", job.last_utc}});
  }
  return json({{"run", status.info.uuid},
               {"scenario", status.info.scenario},
               {"cluster", status.info.cluster},
               {"status", status.info.status},
               {"outcome",
                status.info.outcome ? json(outcome_name(*status.info.outcome)) : json(nullptr)},
               {"simulated", status.info.simulated},
               {"trials_planned", status.trials_planned},
               {"trials_done", status.trials_done},
               {"slots", status.slots},
               {"jobs", jobs},
               {"run_dir", status.info.run_dir}})
             .dump(2) +
         "\n";
}

Result<int> cancel_jobs(const RunFiles& run, Scheduler& scheduler) {
  SGLEXP_TRY(const auto records, ControllerLog::read(run.dir));
  int cancelled = 0;
  for (const auto& [name, record] : records) {
    if (!record.id.empty() && !record.outcome) {
      SGLEXP_CHECK(scheduler.cancel(record.id));
      ++cancelled;
    }
  }
  return cancelled;
}

}  // namespace sglexp
