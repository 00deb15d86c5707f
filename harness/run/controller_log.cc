// SPDX-License-Identifier: Apache-2.0
#include "harness/run/controller_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/record/json.h"
#include "harness/run/journal_members.h"

namespace sglexp {

namespace {

using nlohmann::json;

constexpr const char* kFile = "controller.jsonl";

struct Contents {
  std::map<std::string, JobProgress> jobs;
  bool run_finished = false;
};

Status apply(const JournalEntry& entry, Contents& contents) {
  const std::string name = text_member(entry, "job");
  const std::string id = text_member(entry, "id");
  if (entry.type == "submitted" && id.empty()) {
    // Taken for "not submitted", it would be submitted twice.
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("{}: line {}, submitted, names no job id", kFile, entry.seq + 1)};
  }
  if (entry.type == "submitting") {
    contents.jobs[name].submitting = true;
  } else if (entry.type == "submitted") {
    contents.jobs[name] = {.id = id};
  } else if (entry.type == "job_ended") {
    JobProgress& job = contents.jobs[name];
    job.outcome = parse_outcome(text_member(entry, "outcome")).value_or(Outcome::kInternal);
    SGLEXP_TRY(job.failure, failure_member(entry));
  } else if (entry.type == "run_finished") {
    contents.run_finished = true;
  }
  return Ok{};
}

Result<Contents> read_contents(const RunDir& dir) {
  Contents contents;
  JournalReader reader(dir.file(kFile));
  SGLEXP_TRY(const std::vector<JournalEntry> entries, reader.read_new());
  for (const JournalEntry& entry : entries) {
    SGLEXP_CHECK(apply(entry, contents));
  }
  return contents;
}

}  // namespace

ControllerLog::ControllerLog(JournalWriter journal, int lock_fd,
                             std::map<std::string, JobProgress> jobs, bool run_finished)
    : journal_(std::move(journal)),
      lock_fd_(lock_fd),
      jobs_(std::move(jobs)),
      run_finished_(run_finished) {}

ControllerLog::~ControllerLog() {
  close(lock_fd_);
}

Result<std::unique_ptr<ControllerLog>> ControllerLog::open(const RunDir& dir, const Clock& clock) {
  const std::string lock = dir.file("controller.lock");
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return Error{ErrorCode::kInvalidInput, fmt::format("{}: {}", lock, std::strerror(errno))};
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return Error{ErrorCode::kUnavailable,
                 fmt::format("another sglexp follows this run already ({})", dir.root())};
  }
  auto journal = JournalWriter::open(dir.file(kFile), clock);
  auto contents = read_contents(dir);
  if (!journal.ok() || !contents.ok()) {
    close(fd);
    return journal.ok() ? contents.error() : journal.error();
  }
  return std::unique_ptr<ControllerLog>(new ControllerLog(
      std::move(*journal), fd, std::move(contents->jobs), contents->run_finished));
}

JobProgress ControllerLog::job(const std::string& name) const {
  const auto found = jobs_.find(name);
  return found == jobs_.end() ? JobProgress{} : found->second;
}

Status ControllerLog::submitting(const std::string& job) {
  jobs_[job].submitting = true;
  return journal_.append("submitting", json({{"job", job}}).dump());
}

Status ControllerLog::submitted(const std::string& job, const std::string& id) {
  jobs_[job] = {.id = id};
  return journal_.append("submitted", json({{"job", job}, {"id", id}}).dump());
}

Status ControllerLog::job_ended(const std::string& job, const JobProgress& record,
                                const std::string& word) {
  jobs_[job] = record;
  return journal_.append(
      "job_ended", json({{"job", job},
                         {"id", record.id},
                         {"outcome", outcome_name(record.outcome.value_or(Outcome::kInternal))},
                         {"failure", record.failure ? json::parse(failure_to_json(*record.failure))
                                                    : json(nullptr)},
                         {"word", word}})
                       .dump());
}

Status ControllerLog::finish_run(Outcome outcome) {
  run_finished_ = true;
  return journal_.append("run_finished", json({{"outcome", outcome_name(outcome)}}).dump());
}

Result<std::map<std::string, JobProgress>> ControllerLog::read(const RunDir& dir) {
  SGLEXP_TRY(Contents contents, read_contents(dir));
  return std::move(contents.jobs);
}

}  // namespace sglexp
