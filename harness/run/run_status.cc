// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_status.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/record/journal.h"
#include "harness/run/controller_log.h"
#include "harness/run/exec_spec.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kLogLineBytes = 1000;

Result<JobStatusLine> read_job(const RunFiles& run, const JobPlan& job, const JobProgress& record) {
  JobStatusLine line{.name = job.name, .id = record.id};
  line.state = record.outcome      ? std::string(outcome_name(*record.outcome))
               : record.id.empty() ? "not submitted"
                                   : "queued or running";
  JournalReader reader(run.dir.job_journal(job.name));
  SGLEXP_TRY(const std::vector<JournalEntry> entries, reader.read_new());
  for (const JournalEntry& entry : entries) {
    line.last_utc = entry.utc;
    const json members = json::parse(entry.json, nullptr, false);
    if (entry.type == "phase") {
      line.phase = members.value("phase", "");
      line.slot = members.value("slot", -1);
    } else if (entry.type == "trial_finished") {
      ++line.trials_done;
    } else if (entry.type == "job_finished") {
      line.phase = "finished";
    }
  }
  return line;
}

std::vector<std::string> sorted_files(const fs::path& directory, const std::string& extension) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->path().extension() == extension) {
      out.push_back(entry->path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> sorted_directories(const fs::path& parent) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->is_directory(ignored)) {
      out.push_back(entry->path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string tail(const std::string& text, int lines) {
  const std::string_view body = trim(text);
  std::size_t begin = 0;
  if (lines > 0) {
    begin = body.size();
    for (int i = 0; i < lines && begin != std::string_view::npos && begin > 0; ++i) {
      begin = body.rfind('\n', begin - 1);
    }
    begin = begin == std::string_view::npos ? 0 : begin;
  }
  std::string out;
  for (const std::string& line : split(trim(body.substr(begin)), '\n')) {
    out += printable(line, kLogLineBytes) + "\n";
  }
  return out;
}

Status add_log(const RunDir& dir, const std::string& path, int lines, std::string& out) {
  const auto text = read_file_from(path, 0, std::uint64_t{256} << 20);
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) {
    return text.error();
  }
  if (text.ok() && !trim(*text).empty()) {
    out += fmt::format("==> {} <==\n{}\n", dir.relative(path), tail(*text, lines));
  }
  return Ok{};
}

// The node of a process, from the spec that lies beside its log.
std::string node_of(const std::string& log) {
  const auto text = read_file(log.substr(0, log.size() - 4) + ".exec.json", 4 << 20);
  if (!text.ok()) {
    return "";
  }
  const auto spec = parse_exec_spec(*text);
  return spec.ok() ? spec->node : "";
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

Result<std::string> run_logs(const RunDir& dir, const std::string& node, int lines) {
  if (!path_exists(dir.file("run.json"))) {
    return Error{ErrorCode::kNotFound, "the run's directory is gone: " + dir.root()};
  }
  std::string out;
  for (const fs::path& job : sorted_directories(dir.file("jobs"))) {
    SGLEXP_CHECK(add_log(dir, (job / "batch.log").string(), lines, out));
    for (const std::string& log : sorted_files(job / "nodes", ".log")) {
      const std::string name = fs::path(log).filename().string();
      if (node.empty() || name.starts_with(node + ".")) {
        SGLEXP_CHECK(add_log(dir, log, lines, out));
      }
    }
  }
  const std::vector<fs::path> slots = sorted_directories(dir.file("slots"));
  if (!slots.empty()) {
    for (const std::string& log : sorted_files(slots.back(), ".log")) {
      if (node.empty() || node_of(log) == node) {
        SGLEXP_CHECK(add_log(dir, log, lines, out));
      }
    }
  }
  if (out.empty()) {
    return node.empty() ? std::string("no log has been written yet\n")
                        : fmt::format("no log of node '{}'\n", printable(node, 60));
  }
  return out;
}

}  // namespace sglexp
