// SPDX-License-Identifier: Apache-2.0
#include "harness/run/postflight.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/run/exec_spec.h"
#include "harness/sys/files.h"
#include "harness/sys/network.h"
#include "harness/sys/proc_fs.h"

namespace sglexp {

namespace {

using nlohmann::json;

// Engines of this run that are still there: reported, ended, and waited for.
void end_processes(const PostflightSpec& spec, Clock& clock, PostflightReport& report) {
  const std::string owner = owner_value(spec.run_token);
  std::vector<ProcessInfo> left = processes_with_env(kOwnerVariable, owner);
  for (const ProcessInfo& process : left) {
    report.leftovers.push_back(
        fmt::format("process {} ({}), killed", process.pid, process.command));
    signal_process(process, SIGKILL);
  }
  for (int i = 0; i < 100 && !left.empty(); ++i) {
    clock.sleep_for(Millis(50));
    left = processes_with_env(kOwnerVariable, owner);
  }
  for (const ProcessInfo& process : left) {
    report.leftovers.push_back(fmt::format("process {} survived SIGKILL", process.pid));
    report.clean = false;
  }
}

void check_ports(const PostflightSpec& spec, PostflightReport& report) {
  for (const int port : spec.ports) {
    if (const std::string problem = port_problem(spec.address, port); !problem.empty()) {
      report.leftovers.push_back(fmt::format("port {}:{}: {}", spec.address, port, problem));
      report.clean = false;
    }
  }
}

// The directories around it that are this job's alone carry its token in their name, and stay as long
// as another node still has something in them.
void remove_empty_parents(const PostflightSpec& spec) {
  for (std::filesystem::path parent = std::filesystem::path(spec.cache_root).parent_path();
       parent.filename().string().find(spec.run_token) != std::string::npos;
       parent = parent.parent_path()) {
    if (rmdir(parent.c_str()) != 0) {
      return;
    }
  }
}

}  // namespace

void let_processes_end(const PostflightSpec& spec, Clock& clock, Nanos patience) {
  const TimePoint deadline = clock.now() + patience;
  while (clock.now() < deadline &&
         !processes_with_env(kOwnerVariable, owner_value(spec.run_token)).empty()) {
    clock.sleep_for(Millis(50));
  }
}

PostflightReport postflight(const PostflightSpec& spec, Clock& clock) {
  PostflightReport report;
  end_processes(spec, clock, report);
  check_ports(spec, report);
  if (path_exists(spec.cache_root)) {
    if (const Status removed = remove_tree(spec.cache_root, spec.cache_parent); !removed.ok()) {
      report.leftovers.push_back(removed.error().message);
      report.clean = false;
    } else {
      remove_empty_parents(spec);
    }
  }
  return report;
}

std::string postflight_spec_to_json(const PostflightSpec& spec) {
  return json({{"node", spec.node},
               {"address", spec.address},
               {"run_token", spec.run_token},
               {"ports", spec.ports},
               {"cache_root", spec.cache_root},
               {"cache_parent", spec.cache_parent}})
      .dump();
}

Result<PostflightSpec> parse_postflight_spec(std::string_view text) {
  try {
    const json in = json::parse(text);
    return PostflightSpec{.node = in.at("node"),
                          .address = in.at("address"),
                          .run_token = in.at("run_token"),
                          .ports = in.at("ports"),
                          .cache_root = in.at("cache_root"),
                          .cache_parent = in.at("cache_parent")};
  } catch (const json::exception& problem) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("postflight specification: {}", problem.what())};
  }
}

std::string postflight_report_to_json(const PostflightReport& report) {
  return json({{"leftovers", report.leftovers}, {"clean", report.clean}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<PostflightReport> parse_postflight_report(std::string_view text) {
  try {
    const json in = json::parse(text);
    return PostflightReport{.leftovers = in.at("leftovers"), .clean = in.at("clean")};
  } catch (const json::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("postflight report: {}", problem.what())};
  }
}

}  // namespace sglexp
