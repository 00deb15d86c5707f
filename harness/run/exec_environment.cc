// SPDX-License-Identifier: Apache-2.0
#include "harness/run/exec_environment.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/probe/cache_dirs.h"
#include "harness/probe/catalogue.h"
#include "harness/sys/network.h"

namespace sglexp {

namespace {

CheckLevel level_of(const ExecSpec& spec, const std::string& id) {
  const auto found = spec.levels.find(id);
  return found == spec.levels.end() ? CheckLevel::kRequired : found->second;
}

std::map<std::string, std::string> applied(std::map<std::string, std::string> environment,
                                           const ExecEnvironment& change) {
  for (const std::string& name : change.unset) {
    environment.erase(name);
  }
  for (const auto& [name, value] : change.set) {
    environment[name] = value;
  }
  return environment;
}

std::string pci_text(const std::vector<VisibleDevice>& devices) {
  std::string out;
  for (const VisibleDevice& device : devices) {
    out += (out.empty() ? "" : " ") + device.pci;
  }
  return out;
}

std::string masks_text(const VisibilityEnv& env) {
  const auto shown = [](const char* name, const std::optional<std::string>& value) {
    return fmt::format("{}={}", name, value ? printable(*value, 100) : "(unset)");
  };
  return fmt::format("{} {} {}", shown("ROCR_VISIBLE_DEVICES", env.rocr),
                     shown("HIP_VISIBLE_DEVICES", env.hip),
                     shown("CUDA_VISIBLE_DEVICES", env.cuda));
}

CheckResult check_visibility(const ExecSpec& spec, const Topology& topology,
                             const std::map<std::string, std::string>& environment) {
  const VisibilityEnv env = visibility_env(environment);
  const Visibility seen = compose_visibility(runtime_devices(topology), env);
  const VisibilityJudgement judgement = judge_visibility(seen, spec.gpus);
  CheckResult result{.id = "worker_visibility",
                     .expected = fmt::format("{} sees [{}]", spec.name, fmt::join(spec.gpus, " ")),
                     .observed = fmt::format("[{}]", pci_text(seen.visible)),
                     .evidence = masks_text(env)};
  if (!judgement.ok) {
    result.observed += ": " + judgement.cause;
    result.remedy = judgement.remedy;
  }
  return judged(result, judgement.ok, level_of(spec, "worker_visibility"));
}

// The last word stands, and is the only one: the kernel hands doubles on, and which of them counts is
// up to the program.
void set_variable(ExecEnvironment& change, const std::string& name, const std::string& value) {
  std::erase_if(change.set, [&](const auto& variable) { return variable.first == name; });
  change.set.emplace_back(name, value);
}

void hide_all_gpus(ExecEnvironment& change) {
  // A router or load client must not take a GPU context by accident.
  set_variable(change, "HIP_VISIBLE_DEVICES", "-1");
  change.unset.emplace_back("CUDA_VISIBLE_DEVICES");
}

}  // namespace

VisibilityEnv visibility_env(const std::map<std::string, std::string>& environment) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  return {.rocr = value("ROCR_VISIBLE_DEVICES"),
          .hip = value("HIP_VISIBLE_DEVICES"),
          .cuda = value("CUDA_VISIBLE_DEVICES")};
}

ExecEnvironment plan_exec_environment(const ExecSpec& spec, const Result<Topology>& topology,
                                      const std::map<std::string, std::string>& inherited) {
  ExecEnvironment change;
  for (const auto& [name, directory] : cache_environment(spec.cache_root)) {
    set_variable(change, name, directory);
  }
  for (const auto& [name, value] : spec.env) {
    set_variable(change, name, value);
  }
  set_variable(change, kOwnerVariable, owner_value(spec.run_token));
  if (spec.gpus.empty()) {
    hide_all_gpus(change);
    return change;
  }
  CheckResult failed{.id = "worker_visibility",
                     .measured = false,
                     .expected = fmt::format("[{}]", fmt::join(spec.gpus, " "))};
  if (!topology.ok()) {
    failed.observed = topology.error().message;
    change.checks.push_back(judged(failed, false, level_of(spec, "worker_visibility")));
    return change;
  }
  const auto plan =
      plan_visibility(runtime_devices(*topology), visibility_env(inherited), spec.gpus);
  if (!plan.ok()) {
    failed.observed = plan.error().message;
    failed.evidence = masks_text(visibility_env(inherited));
    failed.remedy =
        "give the step all GPUs of the job on this node (--gres), and let no site script mask them";
    change.checks.push_back(judged(failed, false, level_of(spec, "worker_visibility")));
    return change;
  }
  change.unset.insert(change.unset.end(), plan->unset.begin(), plan->unset.end());
  for (const auto& [name, value] : plan->set) {
    set_variable(change, name, value);
  }
  change.checks.push_back(check_visibility(spec, *topology, applied(inherited, change)));
  return change;
}

CheckResult check_ports(const ExecSpec& spec) {
  const PortRange ephemeral = ephemeral_ports();
  CheckResult result{
      .id = "ports_free",
      .expected = fmt::format("{} free on {}, outside {}-{}", fmt::join(spec.ports, ","),
                              spec.address, ephemeral.first, ephemeral.last),
      .evidence = "bind and listen on this node, just before the start",
      .remedy = "end the stale server on that port, or move port_base in the cluster profile"};
  std::vector<std::string> problems;
  for (const int port : spec.ports) {
    if (port >= ephemeral.first && port <= ephemeral.last) {
      problems.push_back(
          fmt::format("{} is ephemeral: the kernel may give it to any client", port));
    } else if (const std::string problem = port_problem(spec.address, port); !problem.empty()) {
      problems.push_back(fmt::format("{}:{}: {}", spec.address, port, problem));
    }
  }
  result.observed = problems.empty() ? "free" : join(problems, "; ");
  return judged(result, problems.empty(), level_of(spec, "ports_free"));
}

}  // namespace sglexp
