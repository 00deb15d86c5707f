// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/experiment_commands.h"

#include <fmt/format.h>

#include "harness/cli/locate.h"
#include "harness/cli/session.h"
#include "harness/report/report.h"
#include "harness/run/conclude.h"
#include "harness/run/run_logs.h"
#include "harness/run/run_status.h"
#include "harness/sys/clock.h"

namespace sglexp {

namespace {

std::vector<std::string> profile_overrides(const RunOptions& options) {
  std::vector<std::string> out;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      out.push_back(fmt::format("{}={}", key, value));
    }
  };
  add("account", options.account);
  add("qos", options.qos);
  add("reservation", options.reservation);
  add("exclude", options.exclude);
  add("partition", options.partition);
  return out;
}

Result<ExitCode> start_run(const RunOptions& options) {
  SGLEXP_TRY(const InstallPaths paths, find_install_paths());
  RunInputs inputs{.overrides = {.scenario = options.set,
                                 .arms = options.only,
                                 .profile = profile_overrides(options)}};
  SGLEXP_TRY(inputs.scenario_path, locate_scenario(options.scenario, paths));
  SGLEXP_TRY(inputs.profile_path, locate_profile(options.cluster, paths));
  SGLEXP_TRY(RunFiles run, load_inputs(inputs));
  SGLEXP_TRY(const std::string database, database_path(options.database.db));
  SGLEXP_TRY(const std::string runs_root, runs_path(options.runs, run.profile.runs_dir, database));
  // All that can be refused is asked for before the run exists.
  SGLEXP_TRY(const std::unique_ptr<ClusterSession> session,
             ClusterSession::open(run.profile, runs_root));
  SGLEXP_TRY(Store store, Store::open(database, OpenMode::kReadWrite));
  SGLEXP_CHECK(create_run(run, inputs, runs_root, database, utc_text(SystemClock().wall_now())));
  SGLEXP_CHECK(register_run(run, store));
  print_line(fmt::format("run {}: {} on {}, {} trials in {} slots, about {}{}", run.uuid,
                         run.scenario.name, run.profile.name, run.plan.trials,
                         run.plan.slots.size(), describe_duration(run.plan.estimated),
                         run.plan.simulated ? ", SIMULATED (" + run.plan.simulated_why + ")" : ""));
  print_line("files: " + run.dir.root());
  if (!options.detach) {
    return follow_and_show(run, exit_policy(options.fail_on), options.database.json, *session,
                           store);
  }
  SGLEXP_TRY(const std::string job, submit_first_job(run, session->tools(store)));
  print_line(fmt::format("job {} submitted; follow it with: sglexp attach {}", job,
                         run.uuid.substr(0, 8)));
  print_out(run.uuid + "\n");
  return ExitCode::kOk;
}

Result<ExitCode> attach(const OneRunOptions& options) {
  SGLEXP_TRY(Store store, open_store(options.database, OpenMode::kReadWrite));
  SGLEXP_TRY(const RunInfo info, find_stored_run(options, store));
  const ExitPolicy policy = exit_policy(options.fail_on);
  if (info.status != "running") {
    SGLEXP_TRY(const RunReport report, load_run_report(info.uuid, policy, store));
    print_out(options.database.json ? report_json(report) : report_text(report));
    return exit_code(info.outcome.value_or(Outcome::kInternal), policy);
  }
  SGLEXP_TRY(const RunFiles run, load_run(info.run_dir));
  SGLEXP_TRY(const std::unique_ptr<ClusterSession> session, ClusterSession::open(run));
  return follow_and_show(run, policy, options.database.json, *session, store);
}

Result<ExitCode> cancel(const OneRunOptions& options) {
  SGLEXP_TRY(Store store, open_store(options.database, OpenMode::kReadWrite));
  SGLEXP_TRY(const RunInfo info, find_stored_run(options, store));
  if (info.status != "running") {
    print_line(fmt::format("run {} has ended already: {}", info.uuid.substr(0, 8), info.status));
    return ExitCode::kOk;
  }
  SGLEXP_TRY(const RunFiles run, load_run(info.run_dir));
  SGLEXP_TRY(const std::unique_ptr<ClusterSession> session, ClusterSession::open(run));
  SGLEXP_TRY(const int cancelled, cancel_jobs(run, session->scheduler()));
  print_line(fmt::format("run {}: {} job(s) asked to end", info.uuid.substr(0, 8), cancelled));
  const auto concluded = cancel_run(run, session->tools(store));
  if (!concluded.ok() && concluded.error().code == ErrorCode::kUnavailable) {
    print_line("the sglexp that follows this run concludes it");
    return ExitCode::kOk;
  }
  if (!concluded.ok()) {
    return concluded.error();
  }
  print_line(fmt::format("run {}: {}", info.uuid.substr(0, 8), outcome_name(concluded->outcome)));
  return ExitCode::kOk;
}

Result<ExitCode> status(const OneRunOptions& options) {
  SGLEXP_TRY(const Store store, open_store(options.database, OpenMode::kReadOnly));
  SGLEXP_TRY(const RunInfo info, find_stored_run(options, store));
  SGLEXP_TRY(const RunFiles run, load_run(info.run_dir));
  SGLEXP_TRY(const RunStatus status, read_run_status(run, info));
  print_out(options.database.json ? run_status_json(status) : run_status_text(status));
  return ExitCode::kOk;
}

Result<ExitCode> logs(const OneRunOptions& options) {
  SGLEXP_TRY(const Store store, open_store(options.database, OpenMode::kReadOnly));
  SGLEXP_TRY(const RunInfo info, find_stored_run(options, store));
  SGLEXP_TRY(const std::string text, run_logs(RunDir(info.run_dir), options.node, options.lines));
  print_out(text);
  return ExitCode::kOk;
}

ExitCode finished(const Result<ExitCode>& result) {
  return result.ok() ? *result : report_error(result.error());
}

}  // namespace

ExitCode run_command(const RunOptions& options) {
  return finished(start_run(options));
}
ExitCode attach_command(const OneRunOptions& options) {
  return finished(attach(options));
}
ExitCode cancel_command(const OneRunOptions& options) {
  return finished(cancel(options));
}
ExitCode status_command(const OneRunOptions& options) {
  return finished(status(options));
}
ExitCode logs_command(const OneRunOptions& options) {
  return finished(logs(options));
}

}  // namespace sglexp
