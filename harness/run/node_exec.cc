// SPDX-License-Identifier: Apache-2.0
#include "harness/run/node_exec.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/probe/cache_dirs.h"
#include "harness/probe/catalogue.h"
#include "harness/run/exec_environment.h"
#include "harness/run/recorded_topology.h"
#include "harness/sys/files.h"
#include "harness/sys/proc_fs.h"
#include "harness/topology/binding.h"

namespace sglexp {

namespace {

CheckLevel binding_level(const ExecSpec& spec) {
  const auto found = spec.levels.find("worker_binding");
  return found == spec.levels.end() ? CheckLevel::kRequired : found->second;
}

// Binds this process; the engine inherits it.
CheckResult bind_and_check(const ExecSpec& spec) {
  CheckResult result{
      .id = "worker_binding",
      .expected =
          fmt::format("CPUs {} memory {}", format_ranges(spec.cpus), format_ranges(spec.mem_nodes)),
      .evidence = "/proc/self/status, get_mempolicy",
      .remedy =
          "give the step every CPU of the job on this node (-c) and no --cpu-bind of its own"};
  if (!spec.bind) {
    result.observed = "planned only: the topology is a recording";
    result.remedy.clear();
    result.verdict = CheckVerdict::kNotApplicable;
    return result;
  }
  const auto bound = bind_self(spec.cpus, spec.mem_nodes);
  if (!bound.ok()) {
    result.observed = bound.error().message;
    return judged(result, false, binding_level(spec));
  }
  result.observed =
      fmt::format("CPUs {} memory {}", format_ranges(bound->cpus), format_ranges(bound->mem_nodes));
  return judged(result, bound->cpus == spec.cpus, binding_level(spec));
}

Status write_status(const ExecSpec& spec, const ExecStatus& status) {
  return write_file_atomic(spec.status_file, exec_status_to_json(status));
}

// The engine's own environment and CPU mask, as the kernel shows them once it is the engine: the
// guard in between has the same environment, so either is the truth.
void observe(const ExecSpec& spec, const Result<Topology>& topology, ExecStatus& status) {
  status.observed_cpus = process_status_field(status.pid, "Cpus_allowed_list").value_or("");
  const auto environment = process_environment(status.pid);
  if (!environment.ok() || !topology.ok() || spec.gpus.empty()) {
    return;
  }
  for (const VisibleDevice& device :
       compose_visibility(runtime_devices(*topology), visibility_env(*environment)).visible) {
    status.observed_gpus.push_back(device.pci);
  }
}

// Waits for the engine, passing on a request to stop. Returns how it ended.
ExitStatus supervise(Child& child, const ExecSpec& spec, const NodeExecTools& tools,
                     ExecStatus& status) {
  while (true) {
    if (const auto ended = child.poll()) {
      return *ended;
    }
    if (tools.stop.requested()) {
      status.stopped_by_us = true;
      return stop_child(child, tools.clock, spec.grace, SIGTERM)
          .value_or(ExitStatus{.code = -1, .signal = SIGKILL});
    }
    tools.clock.sleep_for(Millis(20));
  }
}

// Descendants may have left the engine's process group; they still carry its environment. Only
// processes of this very engine are touched: the value names run, and the node-exec's own pid.
int end_descendants(const std::string& mark, Clock& clock) {
  int found = 0;
  for (int round = 0; round < 50; ++round) {
    const std::vector<ProcessInfo> left = processes_with_env("SGLEXP_NODE_EXEC", mark);
    found = std::max(found, static_cast<int>(left.size()));
    if (left.empty()) {
      break;
    }
    for (const ProcessInfo& process : left) {
      signal_process(process, SIGKILL);
    }
    clock.sleep_for(Millis(20));
  }
  return found;
}

Command engine_command(const ExecSpec& spec, const ExecEnvironment& environment,
                       const std::string& mark, const InstallPaths& paths) {
  Command command{.argv = {paths.program, "node-exec", "--guard", std::to_string(getpid()), "--"},
                  .env_set = environment.set,
                  .env_unset = environment.unset};
  command.argv.insert(command.argv.end(), spec.argv.begin(), spec.argv.end());
  command.env_set.emplace_back("SGLEXP_NODE_EXEC", mark);
  return command;
}

}  // namespace

Result<int> node_exec(const ExecSpec& spec, const NodeExecTools& tools) {
  // If the step's daemon dies we get SIGTERM and end the engine; orphans of the engine come to us.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Result<Topology> topology = load_topology(spec.topology_file);
  ExecEnvironment environment = plan_exec_environment(spec, topology, own_environment());
  ExecStatus status{.checks = std::move(environment.checks)};
  status.checks.push_back(check_ports(spec));
  status.checks.push_back(bind_and_check(spec));
  for (CheckResult& check : status.checks) {
    check.node = spec.node;
  }
  const auto failed = [](const CheckResult& check) { return check.verdict == CheckVerdict::kFail; };
  if (std::any_of(status.checks.begin(), status.checks.end(), failed)) {
    SGLEXP_CHECK(write_status(spec, status));
    return kExecRefused;
  }
  SGLEXP_CHECK(create_cache_dirs(cache_environment(spec.cache_root)));

  const std::string mark = fmt::format("{}-{}-{}", spec.run_token, spec.name, getpid());
  SGLEXP_TRY(const std::unique_ptr<Child> child,
             tools.runner.start(engine_command(spec, environment, mark, tools.paths)));
  status.state = ExecState::kRunning;
  status.pid = child->pid();
  // Until the exec the child still shows our own environment.
  for (int i = 0; i < 200 && processes_with_env("SGLEXP_NODE_EXEC", mark).empty() && !child->poll();
       ++i) {
    tools.clock.sleep_for(Millis(5));
  }
  observe(spec, topology, status);
  SGLEXP_CHECK(write_status(spec, status));

  const ExitStatus ended = supervise(*child, spec, tools, status);
  status.leftovers = end_descendants(mark, tools.clock);
  status.state = ExecState::kEnded;
  status.ended = ended.describe();
  SGLEXP_CHECK(write_status(spec, status));
  return ended.signal != 0 ? 128 + ended.signal : ended.code;
}

Error become_guarded(long parent, const std::vector<std::string>& argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != static_cast<pid_t>(parent)) {
    return {ErrorCode::kCancelled, "the parent was gone before the program could start"};
  }
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return {ErrorCode::kNotFound, fmt::format("starting {}: {}", argv[0], std::strerror(errno))};
}

}  // namespace sglexp
