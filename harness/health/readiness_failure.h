// SPDX-License-Identifier: Apache-2.0
// How each way of not becoming ready is told to people. Phase "ready" in all of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/health/endpoint_probe.h"
#include "harness/health/readiness.h"
#include "harness/record/outcome.h"

namespace sglexp {

[[nodiscard]] Failure no_workers_failure();
[[nodiscard]] Failure cancelled_failure();
// `how`: "exit code 1".
[[nodiscard]] Failure ended_failure(const WorkerEndpoint& process, const std::string& how,
                                    bool was_up);
// Something else answers on its port.
[[nodiscard]] Failure stranger_failure(const WorkerEndpoint& process, std::string cause,
                                       std::string observed);
// `limit` completes "w0 did not become ready ...": "within 20 min".
[[nodiscard]] Failure waiting_failure(const WorkerEndpoint& process, bool port_answered,
                                      std::string observed, const std::string& limit,
                                      std::string remedy);
[[nodiscard]] Failure router_count_failure(const WorkerEndpoint& router,
                                           const std::vector<std::string>& missing,
                                           std::size_t workers, std::string observed,
                                           const std::string& limit);
[[nodiscard]] Failure foreign_failure(const WorkerEndpoint& router, const RouterAnswer& answer);
// `how` completes "requests to URL: ...".
[[nodiscard]] Failure no_stream_failure(const WorkerEndpoint& front_end, const std::string& how);

// The same failure with cause, evidence and remedy from the logs, where they tell any.
[[nodiscard]] Failure explained(Failure failure, const std::vector<std::string>& log_paths);

}  // namespace sglexp
