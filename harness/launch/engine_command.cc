// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/launch/launch.h"

namespace sglexp {

namespace {

std::string replaced(std::string text, const InstallPaths& paths) {
  const std::array<std::pair<std::string_view, const std::string*>, 2> places = {
      {{"{libexec}", &paths.libexec}, {"{share}", &paths.share}}};
  for (const auto& [name, path] : places) {
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + path->size())) {
      text.replace(at, name.size(), *path);
    }
  }
  return text;
}

void add(std::vector<std::string>& argv, std::vector<std::string> words) {
  std::move(words.begin(), words.end(), std::back_inserter(argv));
}

void add_flags(std::vector<std::string>& argv, const std::map<std::string, std::string>& flags) {
  for (const auto& [name, value] : flags) {
    argv.push_back("--" + name);
    if (!value.empty()) {
      argv.push_back(value);
    }
  }
}

std::string url_of(const WorkerSpec& worker) {
  const bool ipv6 = worker.address.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(ipv6 ? "http://[{}]:{}" : "http://{}:{}"), worker.address,
                     worker.port);
}

}  // namespace

Result<ProcessCommand> installed_engine(const std::string& kind, const ClusterProfile& profile,
                                        const InstallPaths& paths) {
  const auto engine = profile.engines.find(kind);
  if (engine == profile.engines.end()) {
    std::vector<std::string> known;
    known.reserve(profile.engines.size());
    for (const auto& [name, install] : profile.engines) {
      known.push_back(name);
    }
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("cluster '{}' has no engine '{}' (it has: {})", profile.name, kind,
                             join(known, ", "))};
  }
  ProcessCommand command;
  for (const std::string& word : engine->second.command) {
    command.argv.push_back(replaced(word, paths));
  }
  for (const auto& [name, value] : engine->second.env) {
    command.env[name] = replaced(value, paths);
  }
  return command;
}

Result<ProcessCommand> worker_command(const Scenario&, const ArmSpec& arm,
                                      const ClusterProfile& profile, const InstallPaths& paths,
                                      const WorkerSpec& worker, std::uint64_t launch_seed) {
  const EngineSpec& engine = arm.engine;
  SGLEXP_TRY(ProcessCommand command, installed_engine(engine.kind, profile, paths));
  std::vector<std::string>& argv = command.argv;
  add(argv, {"--model-path", engine.model});
  if (!engine.served_model_name.empty()) {
    add(argv, {"--served-model-name", engine.served_model_name});
  }
  // SGLang's own default is 127.0.0.1, which neither the router nor another node could reach. The
  // node's address rather than 0.0.0.0: nodes of a test cluster may share one machine.
  add(argv, {"--host", worker.address});
  add(argv, {"--port", std::to_string(worker.port)});
  add(argv, {"--tp-size", std::to_string(engine.tp)});
  // /server_info shows it: whoever answers on our port must have been started by us.
  add(argv, {"--random-seed", std::to_string(launch_seed)});
  add_flags(argv, engine.args);
  for (const auto& [name, value] : engine.env) {
    command.env[name] = value;
  }
  return command;
}

Result<ProcessCommand> router_command(const Scenario& scenario, const ClusterProfile& profile,
                                      const InstallPaths& paths, const Placement& placement) {
  const ServiceSpec* router = placement.service("router");
  if (router == nullptr) {
    return Error{ErrorCode::kInternal, "the placement has no router"};
  }
  SGLEXP_TRY(ProcessCommand command, installed_engine(scenario.router.kind, profile, paths));
  std::vector<std::string>& argv = command.argv;
  argv.emplace_back("--worker-urls");  // takes every word up to the next option
  for (const WorkerSpec& worker : placement.workers) {
    argv.push_back(url_of(worker));
  }
  add(argv, {"--host", router->address});
  add(argv, {"--port", std::to_string(router->port)});
  add(argv, {"--policy", scenario.router.policy});
  // The router serves its metrics even unasked, on 29000; a second router on the node would panic.
  add(argv, {"--prometheus-port", std::to_string(router->metrics_port)});
  // Retries hide errors and repeat work; the breaker counts even a 400 and then shuts out a worker.
  add(argv, {"--disable-retries", "--disable-circuit-breaker"});
  add_flags(argv, scenario.router.args);
  return command;
}

}  // namespace sglexp
