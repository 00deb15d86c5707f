// SPDX-License-Identifier: Apache-2.0
#include "harness/run/exec_spec.h"

#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/record/json.h"
#include "harness/run/enumerator.h"

namespace sglexp {

using nlohmann::json;

std::string exec_spec_to_json(const ExecSpec& spec) {
  json out = {{"name", spec.name},
              {"node", spec.node},
              {"run_token", spec.run_token},
              {"topology_file", spec.topology_file},
              {"gpus", spec.gpus},
              {"cpus", spec.cpus},
              {"mem_nodes", spec.mem_nodes},
              {"bind", spec.bind},
              {"address", spec.address},
              {"ports", spec.ports},
              {"argv", spec.argv},
              {"env", spec.env},
              {"cache_root", spec.cache_root},
              {"status_file", spec.status_file},
              {"grace_ns", spec.grace.count()},
              {"levels", json::object()}};
  for (const auto& [id, level] : spec.levels) {
    out["levels"][id] = static_cast<int>(level);
  }
  return out.dump(1, ' ', false, json::error_handler_t::replace);
}

Result<ExecSpec> parse_exec_spec(std::string_view text) {
  try {
    const json in = json::parse(text);
    ExecSpec spec{.name = in.at("name"),
                  .node = in.at("node"),
                  .run_token = in.at("run_token"),
                  .topology_file = in.at("topology_file"),
                  .gpus = in.at("gpus"),
                  .cpus = in.at("cpus"),
                  .mem_nodes = in.at("mem_nodes"),
                  .bind = in.at("bind"),
                  .address = in.at("address"),
                  .ports = in.at("ports"),
                  .argv = in.at("argv"),
                  .env = in.at("env"),
                  .cache_root = in.at("cache_root"),
                  .status_file = in.at("status_file"),
                  .grace = Nanos(in.at("grace_ns").get<std::int64_t>())};
    for (const auto& [id, level] : in.at("levels").items()) {
      spec.levels[id] = enumerator(level.get<int>(), CheckLevel::kOff);
    }
    return spec;
  } catch (const std::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("exec specification: {}", problem.what())};
  }
}

std::string exec_status_to_json(const ExecStatus& status) {
  return json({{"state", static_cast<int>(status.state)},
               {"checks", json::parse(checks_to_json(status.checks))},
               {"pid", status.pid},
               {"observed_cpus", status.observed_cpus},
               {"observed_gpus", status.observed_gpus},
               {"ended", status.ended},
               {"stopped_by_us", status.stopped_by_us},
               {"leftovers", status.leftovers}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ExecStatus> parse_exec_status(std::string_view text) {
  try {
    const json in = json::parse(text);
    SGLEXP_TRY(std::vector<CheckResult> checks, parse_checks(in.at("checks").dump()));
    return ExecStatus{.state = enumerator(in.at("state").get<int>(), ExecState::kEnded),
                      .checks = std::move(checks),
                      .pid = in.at("pid"),
                      .observed_cpus = in.at("observed_cpus"),
                      .observed_gpus = in.at("observed_gpus"),
                      .ended = in.at("ended"),
                      .stopped_by_us = in.at("stopped_by_us"),
                      .leftovers = in.at("leftovers")};
  } catch (const std::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("exec status: {}", problem.what())};
  }
}

std::string owner_value(std::string_view run_token) {
  return fmt::format("sglexp-{}", run_token);
}

}  // namespace sglexp
