// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/catalogue.h"

#include <algorithm>
#include <array>

namespace sglexp {

namespace {

using enum CheckPlace;
using enum CheckLevel;

constexpr std::array kCatalogue = {
    CheckDefinition{
        "gpu_set", kNode, kRequired,
        "the GPUs that this step was given are the GPUs that Slurm allocated on this node",
        "SLURM_JOB_GPUS names the batch host's GPUs on every node: used elsewhere, it is another "
        "job's GPUs"},
    CheckDefinition{
        "visibility", kNode, kRequired,
        "ROCR_, HIP_ and CUDA_VISIBLE_DEVICES as inherited leave exactly the allocated GPUs",
        "HIP indexes into what ROCR left: two masks with physical ids hide GPUs, often silently"},
    CheckDefinition{
        "cpu_mask", kNode, kRequired,
        "the allocated CPUs include some on every NUMA node of the allocated GPUs",
        "a worker bound away from its GPUs measures the socket link, not the placement"},
    CheckDefinition{"master_addr", kNode, kRequired,
                    "MASTER_ADDR resolves here to an address that is not loopback",
                    "with loopback each node waits for itself until its rendezvous times out"},
    CheckDefinition{"rank", kNode, kRequired,
                    "RANK is this node's position in the job and WORLD_SIZE its node count",
                    "a rank expanded in the batch shell is 0 on every node: the job hangs"},
    CheckDefinition{"cache_dirs", kNode, kRequired,
                    "compile and kernel caches are private to this node and job, and writable",
                    "shared caches give stale handles, locked SQLite files and kernels of another "
                    "architecture"},
    CheckDefinition{
        "limits", kNode, kRequired, "open files and locked memory reach what the profile demands",
        "too few descriptors refuse streams; too little locked memory breaks RDMA registration"},
    CheckDefinition{
        "engine_executable", kNode, kRequired,
        "the engine's and the router's programs exist and can be run",
        "a missing program otherwise shows only after the other nodes have loaded weights"},
    CheckDefinition{"clock_offset", kNode, kRequired,
                    "this node's wall clock agrees with the batch host's",
                    "log lines of different nodes cannot be put in order otherwise, so causes look "
                    "like consequences"},
    CheckDefinition{"master_addr_agrees", kAcrossNodes, kRequired,
                    "MASTER_ADDR is the same address on every node",
                    "nodes that resolve it differently never meet"},
    CheckDefinition{"ranks_complete", kAcrossNodes, kRequired,
                    "the ranks of all nodes are 0 .. n-1, each once",
                    "a doubled or missing rank stalls the rendezvous for ever"},
    CheckDefinition{"versions_agree", kAcrossNodes, kOptional,
                    "kernel, driver and program versions agree between the nodes",
                    "a comparison between unlike nodes compares the nodes"},
    CheckDefinition{"placement_arm", kSlot, kRequired, "the placement is what the arm says",
                    "a cross-NUMA arm that lands on one NUMA node measures nothing"},
    CheckDefinition{"ports_free", kSlot, kRequired,
                    "the planned ports are free, and outside the ephemeral range",
                    "engines bind only after loading weights; a stale server on the port can "
                    "answer in their place"},
    CheckDefinition{"worker_visibility", kSlot, kRequired,
                    "the environment set for the engine leaves exactly the planned GPUs",
                    "what the engine sees is what is measured"},
    CheckDefinition{"worker_binding", kSlot, kRequired,
                    "the engine's CPU mask is the planned one, read back from the kernel",
                    "binding calls can report success and do nothing"},
};

}  // namespace

std::span<const CheckDefinition> check_catalogue() {
  return kCatalogue;
}

CheckLevel check_level(std::string_view id, const Scenario& scenario) {
  if (const auto switched = scenario.checks.find(std::string(id));
      switched != scenario.checks.end()) {
    return switched->second;
  }
  const auto* const known =
      std::find_if(kCatalogue.begin(), kCatalogue.end(),
                   [&](const CheckDefinition& definition) { return definition.id == id; });
  return known == kCatalogue.end() ? kRequired : known->level;
}

CheckResult judged(CheckResult result, bool passed, CheckLevel level) {
  result.required = level == kRequired;
  if (level == kOff) {
    result.verdict = CheckVerdict::kNotApplicable;
  } else if (passed && result.measured) {
    result.verdict = CheckVerdict::kPass;
    result.remedy.clear();
  } else {
    result.verdict = result.required ? CheckVerdict::kFail : CheckVerdict::kWarn;
  }
  return result;
}

}  // namespace sglexp
