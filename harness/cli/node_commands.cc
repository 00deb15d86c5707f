// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/node_commands.h"

#include <atomic>
#include <memory>
#include <thread>

#include "harness/cli/console.h"
#include "harness/http/http_client.h"
#include "harness/probe/node_checks.h"
#include "harness/record/json.h"
#include "harness/run/agent.h"
#include "harness/run/cluster_tools.h"
#include "harness/run/load_exec.h"
#include "harness/run/node_exec.h"
#include "harness/run/postflight.h"
#include "harness/sys/files.h"
#include "harness/sys/install_paths.h"

namespace sglexp {

namespace {

Result<Outcome> run_agent_here(const AgentOptions& options) {
  SGLEXP_TRY(const InstallPaths paths, find_install_paths());
  SGLEXP_TRY(const RunFiles run, load_run(options.run_dir));
  SystemProcessRunner runner;
  SystemClock clock;
  const StopSignals signals;
  const std::unique_ptr<HttpClient> http = make_curl_client();
  SGLEXP_TRY(const std::unique_ptr<Scheduler> scheduler,
             make_scheduler(run.profile, paths, options.run_dir, runner, clock));
  return run_agent(run, options.job,
                   {.runner = runner,
                    .clock = clock,
                    .http = *http,
                    .scheduler = *scheduler,
                    .signals = signals,
                    .paths = paths});
}

Status probe(const SpecOptions& options) {
  SGLEXP_TRY(const std::string text, read_file(options.spec, 16 << 20));
  SGLEXP_TRY(const ProbeSpec spec, parse_probe_spec(text));
  return write_file_atomic(options.out,
                           node_report_to_json(judge_node(spec, gather_node_facts(spec))));
}

Status run_load_file(const SpecOptions& options) {
  SGLEXP_TRY(const std::string text, read_file(options.spec, 16 << 20));
  SGLEXP_TRY(const LoadExecSpec spec, parse_load_exec_spec(text));
  const StopSignals signals;
  StopRequest asked(signals, options.until_eof);
  std::atomic<bool> stop{false};
  std::atomic<bool> done{false};
  // The load loop looks at a flag only; this thread turns a request to stop into the flag.
  std::thread watcher([&] {
    SystemClock clock;
    while (!done) {
      stop = asked.requested();
      clock.sleep_for(Millis(20));
    }
  });
  const Status ran = load_exec(spec, stop);
  done = true;
  watcher.join();
  return ran;
}

Status run_postflight(const SpecOptions& options) {
  // Shorter than any site's KillWait (30 s by default): after it Slurm would kill this process too.
  constexpr Nanos kPatience = Seconds(3);
  SystemClock clock;
  const StopSignals signals;
  StopRequest asked(signals, options.until_eof);
  while (options.until_eof && !asked.requested()) {
    clock.sleep_for(Millis(50));
  }
  SGLEXP_TRY(const std::string text, read_file(options.spec, 16 << 20));
  SGLEXP_TRY(const PostflightSpec spec, parse_postflight_spec(text));
  let_processes_end(spec, clock, kPatience);
  return write_file_atomic(options.out, postflight_report_to_json(postflight(spec, clock)));
}

Result<int> run_node_exec(const NodeExecOptions& options) {
  SGLEXP_TRY(const std::string text, read_file(options.spec, 16 << 20));
  SGLEXP_TRY(const ExecSpec spec, parse_exec_spec(text));
  SGLEXP_TRY(const InstallPaths paths, find_install_paths());
  SystemProcessRunner runner;
  SystemClock clock;
  const StopSignals signals;
  StopRequest stop(signals, options.until_eof);
  return node_exec(spec, {.runner = runner, .clock = clock, .stop = stop, .paths = paths});
}

ExitCode ended(const Status& status) {
  return status.ok() ? ExitCode::kOk : report_error(status.error());
}

}  // namespace

ExitCode agent_command(const AgentOptions& options) {
  const auto outcome = run_agent_here(options);
  return outcome.ok() ? exit_code(*outcome) : report_error(outcome.error());
}

ExitCode probe_command(const SpecOptions& options) {
  return ended(probe(options));
}

ExitCode load_exec_command(const SpecOptions& options) {
  return ended(run_load_file(options));
}

ExitCode postflight_command(const SpecOptions& options) {
  return ended(run_postflight(options));
}

ExitCode node_exec_command(const NodeExecOptions& options) {
  if (options.guard_parent > 0 && !options.argv.empty()) {
    return report_error(become_guarded(options.guard_parent, options.argv));
  }
  const auto code = run_node_exec(options);
  return code.ok() ? static_cast<ExitCode>(*code) : report_error(code.error());
}

}  // namespace sglexp
