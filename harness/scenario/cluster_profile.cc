// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/cluster_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/scenario/choices.h"
#include "harness/scenario/overrides.h"
#include "harness/scenario/owned_words.h"
#include "harness/scenario/profile_reader.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

constexpr Nanos kMockPollPeriod = Millis(200);
// Every poll is a call to the controller that all users share; sites ask for no more than this.
constexpr Nanos kSlurmPollPeriod = Seconds(30);
// Linux hands out 32768-60999 by default (ip_local_port_range): a planned port in there can be
// taken at any moment by any outgoing connection.
constexpr int kFirstPort = 1024;
constexpr int kEphemeralPorts = 32768;

bool is_safe_text(std::string_view text, std::string_view also) {
  return std::all_of(text.begin(), text.end(), [also](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || also.find(c) != also.npos;
  });
}

// The name of a file in a directory of this program's: never a path of the user's own.
void read_data_file(MapReader& in, std::string_view key, std::string& out) {
  if (in.text(key, out) && out != "discover" &&
      (!out.ends_with(".json") || out.front() == '.' || !is_safe_text(out, "_.-"))) {
    in.problem(key, fmt::format("expected the name of a .json file without directories, found '{}'",
                                printable(out, 60)));
  }
}

// {name} is replaced later; any other one would reach a path or command line as it stands.
void check_placeholders(MapReader& in, std::string_view key, std::string_view text,
                        std::span<const std::string> known) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    const std::string name(text.substr(open + 1, close == text.npos ? 0 : close - open - 1));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      in.problem(key, fmt::format("unknown placeholder '{{{}}}' (known: {{{}}})",
                                  printable(name, 60), join(known, "}, {")));
    }
  }
}

void read_node_type(MapReader& in, NodeTypeSpec& out) {
  in.integer("gpus", out.gpus, 0, 64);
  in.integer("cpus", out.cpus, 1, 4096);
  if (in.text("gres", out.gres) &&
      !((out.gres == "gpu" || out.gres.starts_with("gpu:")) && is_safe_text(out.gres, ":_.-") &&
        !out.gres.ends_with(':') && std::count(out.gres.begin(), out.gres.end(), ':') <= 1)) {
    in.problem("gres",
               fmt::format("expected gpu or gpu:TYPE, found '{}'", printable(out.gres, 60)));
  }
  read_data_file(in, "topology", out.topology);
  in.require("gpus");
  in.require("cpus");
}

void read_engine_install(MapReader& in, EngineInstall& out) {
  const std::vector<std::string> placeholders = {"libexec", "share"};
  in.texts("command", out.command);
  in.variables("env", out.env);
  in.flag("fake", out.fake);
  in.require("command");
  if (in.node().find("command") != nullptr && out.command.empty() &&
      in.log().clean(in.path("command"))) {
    in.problem("command", "empty: expected the program and its first words");
  }
  for (const std::string& word : out.command) {
    check_placeholders(in, "command", word, placeholders);
  }
  for (const auto& [name, value] : out.env) {
    check_placeholders(in, "env." + name, value, placeholders);
  }
  if (in.node().find("env") != nullptr && in.log().clean(in.path("env"))) {
    check_variables(in, "env");
  }
}

void read_limits(MapReader& in, LimitDemands& out) {
  std::int64_t files = 0;
  if (in.integer("open_files", files, 1, std::int64_t{1} << 40)) {
    out.open_files = files;
  }
  std::string memlock;
  if (in.text("memlock", memlock)) {
    out.memlock = memlock;
    if (memlock != "unlimited" && !parse_size(memlock).ok()) {
      in.problem("memlock", fmt::format("expected unlimited or a size such as 64GiB, found '{}'",
                                        printable(memlock, 60)));
    }
  }
}

void read_slurm_words(MapReader& in, ClusterProfile& out) {
  const std::pair<std::string_view, std::string*> words[] = {{"partition", &out.partition},
                                                             {"account", &out.account},
                                                             {"qos", &out.qos},
                                                             {"reservation", &out.reservation},
                                                             {"exclude", &out.exclude},
                                                             {"constraint", &out.constraint}};
  for (const auto& [key, value] : words) {
    if (in.text(key, *value) && value->starts_with('-')) {
      in.problem(key, fmt::format("'{}' looks like an option", printable(*value, 60)));
    }
  }
  if (in.texts("sbatch_args", out.sbatch_args)) {
    check_sbatch_words(in, "sbatch_args", out.sbatch_args);
  }
}

void read_paths(MapReader& in, ClusterProfile& out) {
  const std::vector<std::string> placeholders = {"user", "job", "node"};
  in.texts("setup", out.setup);
  if (in.text("runs_dir", out.runs_dir) && !out.runs_dir.starts_with('/')) {
    in.problem("runs_dir", "expected an absolute path that every node sees");
  }
  if (!in.text("cache_root", out.cache_root)) {
    return;
  }
  check_placeholders(in, "cache_root", out.cache_root, placeholders);
  if (!out.cache_root.starts_with('/') || out.cache_root.find("{job}") == std::string::npos ||
      out.cache_root.find("{node}") == std::string::npos) {
    in.problem("cache_root",
               "expected an absolute path with {job} and {node} in it: jobs and nodes that share "
               "compile caches break each other");
  }
}

}  // namespace

void read_cluster_profile(MapReader& in, ClusterProfile& out) {
  in.name("name", out.name);
  in.text("description", out.description);
  in.choice("scheduler", out.scheduler, kSchedulers);
  read_data_file(in, "mock_cluster", out.mock_cluster);
  in.duration("poll_period", out.poll_period);
  in.text("poll_period_reason", out.poll_period_reason);
  read_slurm_words(in, out);
  read_paths(in, out);
  in.integer("port_base", out.port_base, kFirstPort, kEphemeralPorts - 1);
  in.integer("port_count", out.port_count, 100, kEphemeralPorts - kFirstPort);
  in.flag("loopback_addresses", out.loopback_addresses);
  in.object("limits", [&](MapReader& map) { read_limits(map, out.limits); });
  in.duration("clock_offset", out.clock_offset);
  in.named("node_types", [&](const std::string& name, MapReader& map) {
    read_node_type(map, out.node_types[name]);
  });
  in.named("engines", [&](const std::string& name, MapReader& map) {
    read_engine_install(map, out.engines[name]);
  });
  for (const std::string_view key : {"name", "scheduler", "node_types", "engines"}) {
    in.require(key);
  }
}

namespace {

void apply_profile_rules(ClusterProfile& profile, ReadLog& log) {
  const bool mock = profile.scheduler == SchedulerKind::kMock;
  if (profile.poll_period == Nanos(0)) {
    profile.poll_period = mock ? kMockPollPeriod : kSlurmPollPeriod;
  }
  if (!log.clean("scheduler")) {
    return;
  }
  if (mock && profile.mock_cluster.empty() && log.clean("mock_cluster")) {
    log.problem_at("scheduler", "mock_cluster: missing: the mock scheduler needs a cluster file");
  }
  if (!mock && !profile.mock_cluster.empty()) {
    log.problem_at("mock_cluster", "mock_cluster: only used with 'scheduler: mock'");
  }
  if (!mock && profile.loopback_addresses) {
    log.problem_at("loopback_addresses",
                   "loopback_addresses: only the mock's nodes share one machine: on a real cluster "
                   "loopback reaches no other node");
  }
  if (!mock && profile.poll_period < kSlurmPollPeriod && profile.poll_period_reason.empty() &&
      log.clean("poll_period_reason")) {
    log.problem_at("poll_period",
                   "poll_period: below 30s on a real Slurm: say why in poll_period_reason, or "
                   "leave it at 30s");
  }
  if (profile.port_base + profile.port_count > kEphemeralPorts) {
    log.problem_at("port_count",
                   fmt::format("port_count: ports {}-{} reach into the ephemeral range from {}, "
                               "where any connection may take them",
                               profile.port_base, profile.port_base + profile.port_count - 1,
                               kEphemeralPorts));
  }
}

}  // namespace

Result<ClusterProfile> parse_cluster_profile(std::string_view yaml, const std::string& path,
                                             const std::vector<std::string>& overrides) {
  ReadLog log(path);
  ParsedYaml parsed = parse_yaml(yaml);
  log.add(std::move(parsed.problems));
  log.add(apply_overrides(parsed.root, overrides));
  ClusterProfile profile;
  profile.file = path;
  MapReader reader(parsed.root, log, "the cluster profile");
  read_cluster_profile(reader, profile);
  reader.finish();
  apply_profile_rules(profile, log);
  if (!log.clean()) {
    return log.error();
  }
  return profile;
}

Result<ClusterProfile> load_cluster_profile(const std::string& path,
                                            const std::vector<std::string>& overrides) {
  SGLEXP_TRY(const std::string text, read_file(path, (std::uint64_t{1} << 20) + 1));
  return parse_cluster_profile(text, path, overrides);
}

}  // namespace sglexp
