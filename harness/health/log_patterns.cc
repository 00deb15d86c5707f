// SPDX-License-Identifier: Apache-2.0
#include "harness/health/log_patterns.h"

#include <algorithm>

namespace sglexp {

namespace {

using enum CauseRank;

// Order matters where two rows could match one line: the more specific stands first.
constexpr LogPattern kPatterns[] = {
    // Memory.
    {"out_of_memory",
     kRoot,
     {"HIP out of memory. Tried to allocate", "CUDA out of memory. Tried to allocate",
      "torch.OutOfMemoryError"},
     "a GPU ran out of memory",
     "lower --mem-fraction-static or the CUDA graph batch sizes, and check that no other process "
     "holds memory on these GPUs"},
    {"no_kv_memory",
     kRoot,
     {"Not enough memory. Please try to increase --mem-fraction-static"},
     "the weights leave no room for the KV cache",
     "raise --mem-fraction-static or the tensor-parallel size"},
    {"memory_unbalanced",
     kRoot,
     {"The memory capacity is unbalanced. Some GPUs may be occupied by other processes"},
     "another process holds memory on one of the GPUs",
     "find its owner (rocm-smi --showpids on every node), or wait for an earlier run to end"},
    {"host_out_of_memory",
     kRoot,
     {"Detected * oom_kill event", "Detected * oom-kill event",
      "Some of the step tasks have been OOM Killed", "Out of memory: Killed process"},
     "the host ran out of memory and the kernel killed a process of the job",
     "ask for all memory of the node (--mem=0) or load fewer workers on it"},
    // Addresses and rendezvous.
    {"rendezvous_port_taken",
     kRoot,
     {"EADDRINUSE", "server socket has failed to listen", "The server socket has failed to bind"},
     "the port of the torch rendezvous is in use",
     "give each engine its own --dist-init-addr port, derived from the job id"},
    {"address_in_use",
     kRoot,
     {"error while attempting to bind on address*address already in use", "Address already in use"},
     "the port is in use by another process",
     "end the stale server, or choose another port; a server on that port may answer in its place"},
    {"port_block_taken",
     kRoot,
     {"Port is already in use. dist_init_port=", "port * is not available in * seconds",
      "is not available in 30 seconds"},
     "a port of the block that data-parallel attention needs is in use",
     "keep the ports of two engines on one node at least 300 apart"},
    // GPUs that are not there, or not the right ones.
    {"no_gpus",
     kRoot,
     {"No HIP GPUs are available", "No CUDA GPUs are available"},
     "the process sees no GPU",
     "ROCR_VISIBLE_DEVICES and HIP_/CUDA_VISIBLE_DEVICES compose: set only one of them; check "
     "/dev/kfd "
     "and the render group inside the container, and that the step asked for GPUs"},
    {"invalid_ordinal",
     kRoot,
     {"HIP error: invalid device ordinal", "CUDA error: invalid device ordinal"},
     "a GPU index is beyond the GPUs that the process sees",
     "indices count inside ROCR_VISIBLE_DEVICES; check the masks and --base-gpu-id + "
     "tensor-parallel "
     "size"},
    {"no_accelerator",
     kRoot,
     {"No accelerator (*is available"},
     "PyTorch finds no accelerator at all",
     "check torch.version.hip: a CUDA build on a ROCm host looks like this"},
    {"duplicate_gpu",
     kRoot,
     {"Duplicate GPU detected : rank"},
     "two ranks use the same GPU",
     "check the visibility masks and --base-gpu-id of the workers on this node"},
    {"no_binary_for_gpu",
     kRoot,
     {"hipErrorNoBinaryForGpu", "Unable to find code object for all current devices"},
     "the binaries hold no code for this GPU architecture",
     "use an image or wheel built for it (MI210 is gfx90a)"},
    {"invalid_device_function",
     kRoot,
     {"HIP error: invalid device function", "hipErrorInvalidDeviceFunction"},
     "a kernel was built for another GPU architecture",
     "rebuild the extension (sgl-kernel, aiter, flash-attn) for this one"},
    // GPUs that fail.
    {"gpu_memory_fault",
     kRoot,
     {"Memory access fault by GPU node"},
     "a GPU page fault: a kernel touched memory it must not",
     "try --disable-custom-all-reduce, another attention backend or SGLANG_USE_AITER=0; the node "
     "number is ROCm's own, not the GPU index"},
    {"gpu_hang",
     kRoot,
     {"HW Exception by GPU node*GPU Hang"},
     "a GPU hung and was reset",
     "drain the node and look for amdgpu in dmesg"},
    {"hsa_queue_error",
     kRoot,
     {"Queue at * inactivated due to async error", "Queue error - HSA_STATUS_ERROR"},
     "a GPU command queue died",
     "lower memory use; check that the image fits the GPU architecture"},
    // Command line, caches, program faults.
    {"unknown_flag",
     kRoot,
     {"error: unrecognized arguments:", "error: argument *invalid choice",
      "error: unexpected argument '", "error: the following arguments are required"},
     "the engine of this version does not know a flag it was given",
     "compare the command line with --help of the installed version"},
    {"sqlite_on_shared_fs",
     kRoot,
     {"sqlite3.OperationalError: disk I/O error", "sqlite3.OperationalError: database is locked",
      "database disk image is malformed"},
     "a cache in SQLite lies on a shared file system",
     "give every node its own OUTLINES_CACHE_DIR, MIOPEN_USER_DB_PATH and MIOPEN_CUSTOM_CACHE_DIR"},
    {"cache_race",
     kRoot,
     {"Stale file handle", "cannot stat shared object", "FileNotFoundError*triton"},
     "nodes or processes raced for a cache on a shared file system",
     "give every node and job its own TRITON_CACHE_DIR and HOME-derived caches"},
    {"memory_leak",
     kRoot,
     {"memory leak detected!"},
     "the engine found its own bookkeeping broken and ended",
     "a bug of the engine: keep the log, run again, report it"},
    {"segmentation_fault",
     kRoot,
     {"Segmentation fault"},
     "a native crash",
     "read the Python stack that follows; look for the library at its top"},
    {"time_limit",
     kRoot,
     {"CANCELLED AT*DUE TO TIME LIMIT"},
     "Slurm's time limit ended the job",
     "raise the time limit of the allocation"},
    {"preempted",
     kRoot,
     {"CANCELLED AT*DUE TO PREEMPTION"},
     "Slurm preempted the job",
     "run again, or use a partition or QOS without preemption"},
    {"node_failure",
     kRoot,
     {"CANCELLED AT*DUE TO NODE FAILURE"},
     "a node failed under the job",
     "exclude the node and run again"},
    // Something broke; why stands elsewhere, if anywhere.
    {"graph_capture_failed",
     kSymptom,
     {"Capture cuda graph failed", "Capture CUDA graph failed"},
     "capturing the decode graphs failed",
     "use smaller graph batch sizes or a lower --mem-fraction-static, or switch graphs off"},
    {"watchdog_timeout",
     kSymptom,
     {"atchdog timeout (self.watchdog_timeout="},
     "one forward pass took longer than the watchdog allows: a hang, or a cold kernel build",
     "read the stack dump before this line; for cold builds raise --watchdog-timeout"},
    {"scheduler_died",
     kSymptom,
     {"scheduler is dead. Please check if there are relevant logs",
      "ubprocess scheduler*crashed with exit code"},
     "a scheduler process died",
     "exit code -9: killed, often by the host's memory limit; -6: a C++ abort; -11: a native "
     "crash"},
    {"warmup_failed",
     kSymptom,
     {"Initialization failed. warmup error:"},
     "the engine's own first request failed",
     "unset http_proxy or set no_proxy=127.0.0.1; for cold kernel builds raise "
     "SGLANG_WARMUP_TIMEOUT"},
    {"collective_timeout",
     kSymptom,
     {"Watchdog caught collective operation timeout", "watchdog got stuck for * seconds"},
     "a collective operation between ranks never ended",
     "find the rank that does not report this: it died or went another way"},
    {"rccl_error",
     kSymptom,
     {"unhandled system error", "remote process exited or there was a network error",
      "NCCL error in:", "Bootstrap : no socket interface found", "NET/Socket : no interface found"},
     "RCCL failed",
     "read the NCCL WARN lines above; check NCCL_SOCKET_IFNAME and that every rank is alive"},
    {"fabric_error",
     kSymptom,
     {"NET/IB : Got completion from peer*with status=", "Got async event : port error"},
     "the RDMA fabric reported an error",
     "check the port and NCCL_IB_GID_INDEX, and the switch for congestion settings"},
    {"router_timed_out",
     kSymptom,
     {"Timeout *waiting for workers*to become healthy"},
     "the router gave up waiting for its workers",
     "raise --worker-startup-timeout-secs above the time a worker needs to load"},
    {"detokenizer_silent",
     kSymptom,
     {"Health check failed. Server couldn't get a response from detokenizer"},
     "the scheduler does not answer: a hang, or a very long prefill",
     "two or three of these in a row are a hang; look at the other ranks"},
    {"scheduler_exception",
     kSymptom,
     {"Scheduler hit an exception"},
     "the scheduler ended with an exception",
     "read the traceback in the log",
     true},
    {"python_exception",
     kSymptom,
     {"Traceback (most recent call last)"},
     "a Python exception",
     "read the traceback in the log",
     true},
    // Waits.
    {"rendezvous_stuck",
     kStall,
     {"Init torch distributed begin."},
     "not every rank reached the torch rendezvous",
     "check that node ranks differ, that the head address is right and reachable from every node, "
     "and "
     "that no other rank failed earlier"},
    {"jit_lock",
     kStall,
     {"waiting for baton release at"},
     "waits for another process that builds kernels, or for a lock that a dead one left",
     "a cold build takes minutes; if its holder is dead remove the lock_* files and .ninja_lock, "
     "and "
     "give the job its own AITER_JIT_DIR"},
    // Followers.
    {"child_failed",
     kConsequence,
     {"Received sigquit from a child process",
      "SIGQUIT received.*It usually means one child failed"},
     "a child process of the engine failed",
     "look for the first traceback in any rank's log on any node"},
    {"router_lost_worker",
     kConsequence,
     {"Removing failed worker:"},
     "the router gave up a worker",
     "look at that worker's own log"},
    {"no_available_workers",
     kConsequence,
     {"no_available_workers", "No available workers (all circuits open or unhealthy)"},
     "the router had no worker to send a request to",
     "look at the workers' logs; a storm of 4xx answers opens the circuit breakers too"},
    {"step_cancelled",
     kConsequence,
     {"STEP *CANCELLED AT", "JOB *CANCELLED AT"},
     "Slurm cancelled the step or the job",
     "look for what ended first"},
    {"kv_cache_full",
     kHarmless,
     {"KV cache pool is full. Retract requests"},
     "requests were preempted because the KV cache was full",
     "lower the concurrency or raise --mem-fraction-static: latencies are spoilt"},
};

// '*' stands for any text, possibly none.
bool contains(std::string_view line, std::string_view pattern) {
  std::size_t from = 0;
  while (!pattern.empty()) {
    const std::size_t star = std::min(pattern.find('*'), pattern.size());
    const std::size_t at = line.find(pattern.substr(0, star), from);
    if (at == std::string_view::npos) {
      return false;
    }
    from = at + star;
    pattern.remove_prefix(std::min(star + 1, pattern.size()));
  }
  return true;
}

}  // namespace

std::span<const LogPattern> log_patterns() {
  return kPatterns;
}

const LogPattern* match_log_line(std::string_view line) {
  for (const LogPattern& pattern : kPatterns) {
    for (const std::string_view words : pattern.any_of) {
      if (!words.empty() && contains(line, words)) {
        return &pattern;
      }
    }
  }
  return nullptr;
}

}  // namespace sglexp
