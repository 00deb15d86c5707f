// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/node_facts.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "harness/base/text.h"
#include "harness/sys/files.h"
#include "harness/sys/network.h"

namespace sglexp {

namespace {

constexpr std::array kVariables = {
    "SLURM_JOB_ID",       "SLURMD_NODENAME",      "SLURM_JOB_NODELIST",  "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_GPUS",     "SLURM_STEP_GPUS",      "SLURM_GPUS_ON_NODE",  "SLURM_NODEID",
    "SLURM_PROCID",       "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL", "HSA_VISIBLE_DEVICES",  "MASTER_ADDR",         "RANK",
    "WORLD_SIZE",         "NCCL_SOCKET_IFNAME",   "GLOO_SOCKET_IFNAME",  "SGLANG_SET_CPU_AFFINITY",
};

std::map<std::string, std::string> gather_environment() {
  std::map<std::string, std::string> out;
  for (const char* name : kVariables) {
    if (const char* value = std::getenv(name)) {
      out.emplace(name, value);
    }
  }
  return out;
}

std::vector<int> own_affinity() {
  cpu_set_t mask;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

ResourceLimit resource_limit(__rlimit_resource resource) {
  rlimit limit{};
  ResourceLimit out;
  if (getrlimit(resource, &limit) == 0) {
    const auto value = [](rlim_t v) {
      return v == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(v);
    };
    out.soft = value(limit.rlim_cur);
    out.hard = value(limit.rlim_max);
  }
  return out;
}

Result<Topology> gather_topology(const ProbeSpec& spec) {
  if (spec.topology_file.empty()) {
    return read_sysfs_topology("/");
  }
  return load_recorded_topology(spec.topology_file);
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::vector<std::string> directories =
      name.find('/') != std::string::npos ? std::vector<std::string>{""}
                                          : split(path != nullptr ? path : "/usr/bin:/bin", ':');
  for (const std::string& directory : directories) {
    const std::string candidate = directory.empty() ? name : directory + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return "";
}

std::string first_line(const std::string& path) {
  const auto text = read_file(path, 1 << 16);
  return text.ok() ? printable(trim(text->substr(0, text->find('\n'))), 300) : "";
}

std::string cpu_model() {
  const auto text = read_file("/proc/cpuinfo", 4 << 20);
  if (text.ok()) {
    for (const std::string& line : split(*text, '\n')) {
      if (line.starts_with("model name")) {
        return printable(trim(line.substr(line.find(':') + 1)), 100);
      }
    }
  }
  return "";
}

std::map<std::string, std::string> gather_host() {
  utsname system{};
  uname(&system);
  return {{"hostname", host_name()},
          {"kernel", static_cast<const char*>(system.release)},
          {"architecture", static_cast<const char*>(system.machine)},
          {"cpu_model", cpu_model()},
          {"cpus_online", first_line("/sys/devices/system/cpu/online")},
          {"amdgpu_driver", first_line("/sys/module/amdgpu/version")},
          {"rocm", first_line("/opt/rocm/.info/version")},
          {"numa_balancing", first_line("/proc/sys/kernel/numa_balancing")},
          {"transparent_hugepages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")}};
}

}  // namespace

NodeFacts gather_node_facts(const ProbeSpec& spec) {
  NodeFacts facts{.environment = gather_environment(),
                  .topology = gather_topology(spec),
                  .affinity = own_affinity(),
                  .open_files = resource_limit(RLIMIT_NOFILE),
                  .memlock = resource_limit(RLIMIT_MEMLOCK),
                  .cache_root = inspect_cache_root(spec.cache_root),
                  .host = gather_host()};
  const auto master = facts.environment.find("MASTER_ADDR");
  facts.master_addresses =
      master == facts.environment.end()
          ? Result<std::vector<std::string>>(Error{ErrorCode::kNotFound, "MASTER_ADDR is not set"})
          : resolve(master->second);
  for (const std::string& program : spec.programs) {
    facts.programs[program] = find_program(program);
  }
  if (!spec.time_server.empty()) {
    facts.clock = measure_clock_offset(spec.time_server, spec.time_server_port);
  }
  return facts;
}

}  // namespace sglexp
