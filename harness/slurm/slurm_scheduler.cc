// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/slurm_scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/slurm/hostlist.h"
#include "harness/slurm/job_state.h"
#include "harness/slurm/parse_sacct.h"
#include "harness/slurm/parse_scontrol.h"
#include "harness/slurm/slurm_error.h"

namespace sglexp {
namespace {

std::string flag(std::string_view name, std::string_view value) {
  return fmt::format("--{}={}", name, value);
}

bool answered(const Completed& completed) {
  return !completed.timed_out && completed.status.success();
}

Error bad_id(const std::string& id) {
  return {
      ErrorCode::kInvalidInput,
      fmt::format("'{}' is not a Slurm job id; expected digits, e.g. 12345", printable(id, 60))};
}

std::vector<std::string> nodes_of(const std::string& hostlist) {
  auto nodes = expand_hostlist(hostlist);
  return nodes.ok() ? std::move(*nodes) : std::vector<std::string>{};
}

JobState from_row(const QueueRow& row) {
  JobState state;
  state.id = row.id;
  state.word = row.word;
  state.phase = phase_of(row.word);
  state.reason = row.reason;
  state.nodes = nodes_of(row.hostlist);
  state.source = "squeue";
  return state;
}

// Accounting is believed about an end only: a record still open there, of a job that the controller
// does not know, is one whose end was lost.
void apply_history(const HistoryRow& row, JobState& state) {
  state.word = row.word;
  state.nodes = nodes_of(row.hostlist);
  state.source = "sacct";
  if (phase_of(row.word) == JobPhase::kEnded) {
    state.phase = JobPhase::kEnded;
    state.reason.clear();
    state.exit_code = row.exit.code;
    state.exit_signal = row.exit.signal;
  } else {
    state.reason =
        fmt::format("accounting says {} but the controller does not list the job", row.word);
  }
}

Status check_spec(const JobSpec& spec) {
  if (!spec.script_path.starts_with('/')) {
    return Error{ErrorCode::kInvalidInput, fmt::format("batch script '{}' must be an absolute path",
                                                       printable(spec.script_path))};
  }
  for (const std::string& arg : spec.args) {
    if (arg.starts_with("-M") || arg.starts_with("--cluster")) {
      return Error{
          ErrorCode::kInvalidInput,
          fmt::format("sbatch option '{}': jobs on another cluster cannot be followed; run where "
                      "that cluster is the default, or set SLURM_CONF",
                      printable(arg, 60))};
    }
  }
  return Ok{};
}

Error no_gpus_known(const JobRecord& record) {
  if (phase_of(record.word) == JobPhase::kEnded || phase_of(record.word) == JobPhase::kCompleting) {
    return {ErrorCode::kNotFound,
            fmt::format("job {} is {}: Slurm no longer says what it was given", record.id,
                        record.word)};
  }
  return {ErrorCode::kUnavailable, fmt::format("job {} has no nodes yet: {} ({})", record.id,
                                               record.word, printable(record.reason, 120))};
}

}  // namespace

SlurmScheduler::SlurmScheduler(ProcessRunner& runner, Clock& clock, SlurmOptions options)
    : runner_(runner), clock_(clock), options_(std::move(options)) {
  if (options_.user.empty()) {
    options_.user = std::to_string(::geteuid());  // squeue and sacct take numbers as well
  }
}

Result<Completed> SlurmScheduler::run(std::vector<std::string> argv) {
  const std::string program = argv.front();
  auto completed = runner_.run(slurm_command(std::move(argv), options_));
  if (!completed.ok() && completed.error().code == ErrorCode::kNotFound) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{} is not in PATH: run on a machine with Slurm's commands, load the site's "
                    "Slurm module, or choose another cluster profile",
                    program)};
  }
  return completed;
}

Result<std::string> SlurmScheduler::submit(const JobSpec& spec) {
  SGLEXP_CHECK(check_spec(spec));
  std::vector<std::string> argv = {"sbatch", "--parsable"};
  argv.insert(argv.end(), spec.args.begin(), spec.args.end());
  argv.push_back(flag("job-name", spec.name));
  argv.push_back(flag("comment", spec.comment));
  argv.push_back(spec.script_path);
  SGLEXP_TRY(const Completed completed, run(std::move(argv)));
  // "123", or "123;cluster" where the cluster belongs to a federation. Site hooks may print lines
  // of their own before it.
  const std::vector<std::string> lines = split(trim(completed.out), '\n');
  const std::string id(trim(split(lines.back(), ';').front()));
  if (answered(completed) && is_job_id(id)) {
    return id;
  }
  return submit_error(completed);
}

Result<std::vector<std::string>> SlurmScheduler::find(std::string_view token) {
  if (token.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 "find needs a token: an empty one would match every job"};
  }
  const std::string user = flag("user", options_.user);
  SGLEXP_TRY(const Completed queue,
             run({"squeue", "--noheader", "--states=all", user, flag("format", kFindFormat)}));
  const bool queue_answered = answered(queue);
  std::vector<std::string> ids =
      queue_answered ? ids_with_token(queue.out, token) : std::vector<std::string>{};
  // Accounting remembers jobs that the controller forgot, but may lag behind it, be switched off or
  // be denied to users: it can add to the answer, never replace it.
  const auto history = run({"sacct", "--noheader", "--parsable2", "--allocations", user,
                            "--starttime=now-7days", flag("format", kHistoryFindFormat)});
  if (history.ok() && answered(*history)) {
    for (std::string& id : ids_with_token(history->out, token)) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
        ids.push_back(std::move(id));
      }
    }
  }
  if (!queue_answered && ids.empty()) {
    return query_error("squeue", queue);
  }
  return ids;
}

Result<std::vector<QueueRow>> SlurmScheduler::ask_queue(std::span<const std::string> ids) {
  // Without --states=all, squeue leaves out ended jobs that the controller still remembers.
  SGLEXP_TRY(const Completed completed,
             run({"squeue", "--noheader", "--states=all", flag("jobs", join(ids, ",")),
                  flag("format", kQueueFormat)}));
  if (answered(completed)) {
    return parse_queue(completed.out);
  }
  // For one id alone the controller says that it does not know it; for several it says nothing.
  if (!completed.timed_out && says_unknown_job(completed.err)) {
    return std::vector<QueueRow>{};
  }
  return query_error("squeue", completed);
}

void SlurmScheduler::ask_how_it_ended(JobState& state) {
  const auto completed = run({"scontrol", "--details", "show", "job", state.id});
  if (!completed.ok() || !answered(*completed)) {
    return;  // squeue's word stands; the exit code stays unknown
  }
  const auto record = parse_job_record(completed->out);
  if (!record.ok() || record->id != state.id) {
    return;
  }
  state.word = record->word;
  state.phase = phase_of(record->word);  // it may have been requeued in between
  state.reason = record->reason;
  state.restarts = record->restarts;
  state.source = "scontrol";
  if (state.phase == JobPhase::kEnded) {
    state.exit_code = record->exit.code;
    state.exit_signal = record->exit.signal;
  }
}

void SlurmScheduler::ask_history(std::span<JobState*> missing) {
  std::vector<std::string> due;
  for (JobState* state : missing) {
    state->reason = "the controller does not list the job; accounting has not been asked again yet";
    const auto asked = asked_history_.find(state->id);
    if (asked == asked_history_.end() || clock_.now() - asked->second >= options_.history_period) {
      asked_history_[state->id] = clock_.now();
      due.push_back(state->id);
    }
  }
  if (due.empty()) {
    return;
  }
  const auto completed = run({"sacct", "--noheader", "--parsable2", "--allocations",
                              flag("jobs", join(due, ",")), flag("format", kHistoryFormat)});
  const bool told = completed.ok() && answered(*completed);
  const std::vector<HistoryRow> rows =
      told ? parse_history(completed->out) : std::vector<HistoryRow>{};
  const std::string why = told             ? "neither the controller nor accounting lists the job"
                          : completed.ok() ? query_error("sacct", *completed).message
                                           : completed.error().message;
  for (JobState* state : missing) {
    if (std::find(due.begin(), due.end(), state->id) == due.end()) {
      continue;
    }
    state->reason = why;
    for (const HistoryRow& row : rows) {
      if (row.id == state->id) {
        apply_history(row, *state);
      }
    }
  }
}

Result<std::vector<JobState>> SlurmScheduler::poll(std::span<const std::string> ids) {
  if (ids.empty()) {
    return std::vector<JobState>{};
  }
  for (const std::string& id : ids) {
    if (!is_job_id(id)) {
      return bad_id(id);
    }
  }
  SGLEXP_TRY(const std::vector<QueueRow> rows, ask_queue(ids));
  std::vector<JobState> states(ids.size());
  std::vector<JobState*> missing;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    states[i].id = ids[i];
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const QueueRow& r) { return r.id == ids[i]; });
    if (row == rows.end()) {
      missing.push_back(&states[i]);
      continue;
    }
    states[i] = from_row(*row);
    if (states[i].phase == JobPhase::kEnded) {
      ask_how_it_ended(states[i]);
    }
  }
  if (!missing.empty()) {
    ask_history(missing);
  }
  return states;
}

Status SlurmScheduler::cancel(const std::string& id) {
  if (!is_job_id(id)) {
    return bad_id(id);
  }
  SGLEXP_TRY(const Completed completed, run({"scancel", id}));
  const std::string said = slurm_message(completed.err);
  if (completed.timed_out) {
    return Error{ErrorCode::kTimedOut, fmt::format("scancel {}: no answer in time", id)};
  }
  if (completed.status.success() || says_unknown_job(completed.err) ||
      said.find("already completing or completed") != std::string::npos) {
    return Ok{};
  }
  if (said.find("ermission denied") != std::string::npos) {
    return Error{
        ErrorCode::kInvalidInput,
        fmt::format("scancel {}: {}; only the job's owner or an operator may cancel it", id, said)};
  }
  return query_error("scancel", completed);
}

Result<std::vector<NodeAllocation>> SlurmScheduler::allocation(const std::string& id) {
  if (!is_job_id(id)) {
    return bad_id(id);
  }
  SGLEXP_TRY(const Completed job, run({"scontrol", "--details", "show", "job", id}));
  if (!answered(job)) {
    if (says_unknown_job(job.err)) {
      return Error{ErrorCode::kNotFound, fmt::format("the controller does not know job {}", id)};
    }
    return query_error("scontrol", job);
  }
  SGLEXP_TRY(JobRecord record, parse_job_record(job.out));
  if (phase_of(record.word) != JobPhase::kRunning || record.nodes.empty()) {
    return no_gpus_known(record);
  }
  std::vector<std::string> names;
  for (const NodeAllocation& node : record.nodes) {
    names.push_back(node.node);
  }
  SGLEXP_TRY(const Completed nodes, run({"scontrol", "show", "node", compress_hosts(names)}));
  if (!answered(nodes)) {
    return query_error("scontrol", nodes);
  }
  const std::map<std::string, std::string> addresses = parse_node_addresses(nodes.out);
  for (NodeAllocation& node : record.nodes) {
    const auto address = addresses.find(node.node);
    node.address = address == addresses.end() ? node.node : address->second;
  }
  return record.nodes;
}

}  // namespace sglexp
