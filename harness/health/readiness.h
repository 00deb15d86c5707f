// SPDX-License-Identifier: Apache-2.0
// Can the workers and the router really serve? Staged, each stage with its own failure:
//   1. every worker process is alive and its port answers (refused = loading, 503 = warming)
//   2. it is *our* worker: /server_info carries the random_seed that this run passed
//   3. the router counts every worker healthy (not one of them), and none that is not ours
//   4. one streamed request through the front end produces tokens
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/health/log_cause.h"
#include "harness/http/http_client.h"
#include "harness/record/outcome.h"
#include "harness/sys/clock.h"

namespace sglexp {

struct WorkerEndpoint {
  std::string name;
  std::string node;
  std::string url;
  std::uint64_t launch_seed = 0;
  std::string log_path;  // stderr and stdout of the engine
  std::string model;
};

struct ReadinessTarget {
  std::vector<WorkerEndpoint> workers;
  std::optional<WorkerEndpoint> router;  // none: the first worker is the front end
  Nanos deadline{0};                     // for all stages together
  Nanos no_progress{0};  // neither the logs nor a stage moved for this long; 0 = no such limit
};

// How a process ended, if it has; the text is for people ("exit code 1").
using ProcessEnded = std::function<std::optional<std::string>(const std::string& name)>;
// One small streamed request to `url`; empty on success, else what went wrong.
using StreamProbe = std::function<std::string(const std::string& url, const std::string& model)>;

struct StageTiming {
  std::string stage;  // "worker_up w0", "worker_identity w0", "router_count", "streamed_request"
  Nanos at{0};        // since the wait began
};

struct Readiness {
  bool ready = false;
  std::optional<Failure> failure;  // phase "ready"; cause from the logs where they tell one
  std::vector<StageTiming> stages;
};

// Blocks until ready, failed or `cancelled()`.
//
// One request at a time, each with 50 ms to 2 s of pause before the next round. A health call of
// SGLang takes at least a second and up to 20 s, but a call that hangs must not hide that another
// process died: the first calls wait for at most 2 s, and only an endpoint that let one time out gets
// twice as long the next time, up to 25 s. The ends of processes are looked at before every call and
// every 200 ms of a pause; the first one ends the wait.
[[nodiscard]] Readiness wait_ready(const ReadinessTarget& target, HttpClient& http, Clock& clock,
                                   const ProcessEnded& process_ended,
                                   const StreamProbe& stream_probe,
                                   const std::function<bool()>& cancelled);

}  // namespace sglexp
