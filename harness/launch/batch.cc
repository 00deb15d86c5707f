// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/launch/launch.h"
#include "harness/launch/slurm_words.h"

namespace sglexp {

namespace {

std::string job_dir(const BatchJob& job) {
  return job.run_dir + "/jobs/" + job.job_name;
}

// Slurm counts minutes; rounding down would end a job before its own limit.
std::int64_t minutes_of(Nanos limit) {
  return std::chrono::ceil<std::chrono::minutes>(limit).count();
}

// --mem=0 is all of the node's memory (a worker's page cache counts as the job's). It would wait for
// ever beside another job, so a job on a part of a node takes the site's default.
void add_memory(const AllocationSpec& asked, bool whole_node, std::vector<std::string>& args) {
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
  if (asked.memory_per_node) {
    args.push_back(fmt::format("--mem={}M", (*asked.memory_per_node + kMebibyte - 1) / kMebibyte));
  } else if (whole_node) {
    args.emplace_back("--mem=0");
  }
}

void add_resources(const Scenario& scenario, const ClusterProfile& profile, const BatchJob& job,
                   std::vector<std::string>& args) {
  const AllocationSpec& asked = scenario.allocation;
  const auto type = profile.node_types.find(asked.node_type);
  const bool known = type != profile.node_types.end();
  args.push_back(fmt::format("--nodes={}", asked.nodes));
  if (job.request_arm != nullptr) {
    const std::vector<std::string>& words = job.request_arm->placement.request_args;
    args.insert(args.end(), words.begin(), words.end());
  } else {
    args.emplace_back("--ntasks-per-node=1");
    args.push_back(fmt::format("--cpus-per-task={}",
                               asked.cpus_per_node.value_or(known ? type->second.cpus : 1)));
    if (asked.gpus_per_node > 0) {
      // Even with --exclusive, a job gets only the GPUs that it asks for.
      args.push_back(
          fmt::format("--gres={}:{}", known ? type->second.gres : "gpu", asked.gpus_per_node));
    }
  }
  add_memory(asked, asked.exclusive || (known && asked.gpus_per_node == type->second.gpus), args);
  if (asked.exclusive) {
    args.emplace_back("--exclusive");
  }
  if (!job.pin_nodes.empty()) {
    args.push_back("--nodelist=" + join(job.pin_nodes, ","));
  }
}

void add_site(const ClusterProfile& profile, std::vector<std::string>& args) {
  const std::pair<std::string_view, const std::string*> words[] = {
      {"partition", &profile.partition},
      {"account", &profile.account},
      {"qos", &profile.qos},
      {"reservation", &profile.reservation},
      {"exclude", &profile.exclude},
      {"constraint", &profile.constraint}};
  for (const auto& [name, value] : words) {
    if (!value->empty()) {
      args.push_back(fmt::format("--{}={}", name, *value));
    }
  }
  args.insert(args.end(), profile.sbatch_args.begin(), profile.sbatch_args.end());
}

}  // namespace

JobSpec job_spec(const Scenario& scenario, const ClusterProfile& profile, const BatchJob& job) {
  JobSpec spec;
  spec.name = "sglexp-" + job.run_token;
  spec.comment = fmt::format("sglexp {} {}", scenario.name, job.run_token);
  spec.script_path = job_dir(job) + "/job.sh";
  add_resources(scenario, profile, job, spec.args);
  const std::string log = file_pattern(job_dir(job) + "/batch.log");
  spec.args.insert(
      spec.args.end(),
      {fmt::format("--time={}", minutes_of(scenario.allocation.time_limit)),
       // To the batch shell, which is the agent by then: it tears down before Slurm kills. Slurm may
       // send it up to a minute early.
       "--signal=B:TERM@60",
       // A second start after a node failure would measure into a record that has a first one.
       "--no-requeue",
       // No --export: sbatch runs in a clean environment, and a list of names would make slurmd run
       // a login shell on the node first (--get-user-env; seen on 22.05.8).
       "--chdir=" + job.run_dir, "--output=" + log, "--error=" + log, "--open-mode=append"});
  add_site(profile, spec.args);
  return spec;
}

std::string batch_script(const Scenario& scenario, const ClusterProfile& profile,
                         const InstallPaths& paths, const BatchJob& job) {
  std::string script = "#!/bin/bash\n";
  script += fmt::format("# Written by sglexp: scenario {}, job {}, token {}.\n", scenario.name,
                        job.job_name, job.run_token);
  if (!profile.setup.empty()) {
    script += fmt::format("\n# Set-up of the site, from the cluster profile '{}'.\n", profile.name);
    for (const std::string& line : profile.setup) {
      script += line + "\n";
    }
  }
  // Seen on 22.05.8: "Invalid GRES specification (with and without type identification)".
  script +=
      "\n# sbatch hands the job's GPU options on to srun in these. Each step says itself what it\n"
      "# needs, and srun refuses to be told twice.\n"
      "unset SLURM_GPUS SLURM_GPUS_PER_NODE SLURM_GPUS_PER_SOCKET SLURM_GPUS_PER_TASK \\\n"
      "  SLURM_GRES SLURM_GPU_BIND SLURM_CPUS_PER_GPU SLURM_TRES_PER_TASK\n"
      "\n# exec: signals for the batch shell reach the agent itself.\n";
  script += fmt::format("exec {} agent {} --job {}\n", shell_quote(paths.program),
                        shell_quote(job.run_dir), shell_quote(job.job_name));
  return script;
}

}  // namespace sglexp
