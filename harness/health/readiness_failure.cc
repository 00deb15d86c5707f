// SPDX-License-Identifier: Apache-2.0
#include "harness/health/readiness_failure.h"

#include <utility>

#include "harness/base/text.h"
#include "harness/health/log_cause.h"

namespace sglexp {

namespace {

Failure failure_at(const WorkerEndpoint& process, Outcome outcome) {
  Failure failure;
  failure.outcome = outcome;
  failure.node = process.node;
  failure.phase = "ready";
  failure.files = process.log_path;
  return failure;
}

}  // namespace

Failure no_workers_failure() {
  Failure failure;
  failure.outcome = Outcome::kInternal;
  failure.what = "there is no worker to wait for";
  failure.phase = "ready";
  return failure;
}

Failure cancelled_failure() {
  Failure failure;
  failure.outcome = Outcome::kCancelled;
  failure.what = "cancelled while waiting for the engines to become ready";
  failure.phase = "ready";
  return failure;
}

Failure ended_failure(const WorkerEndpoint& process, const std::string& how, bool was_up) {
  Failure failure = failure_at(process, was_up ? Outcome::kUnhealthy : Outcome::kStartup);
  failure.what =
      process.name + (was_up ? " came up, then ended (" : " ended during start-up (") + how + ")";
  failure.cause = "its log shows no known pattern";
  const std::string last = last_log_line(process.log_path);
  failure.evidence = last.empty() ? "its log is empty" : last;
  failure.remedy = "read its log from the end upwards";
  return failure;
}

Failure stranger_failure(const WorkerEndpoint& process, std::string cause, std::string observed) {
  Failure failure = failure_at(process, Outcome::kStartup);
  failure.what = process.url + " does not answer as " + process.name;
  failure.cause = std::move(cause);
  failure.evidence = std::move(observed);
  failure.remedy =
      "find what listens there (ss -ltnp on " + process.node + "), end it or choose another port";
  return failure;
}

Failure waiting_failure(const WorkerEndpoint& process, bool port_answered, std::string observed,
                        const std::string& limit, std::string remedy) {
  Failure failure = failure_at(process, port_answered ? Outcome::kUnhealthy : Outcome::kStartup);
  failure.what = process.name + " did not become ready " + limit;
  failure.cause = port_answered ? "its port answers, but it is not healthy"
                                : "its port never opened: it still loads, or it hangs";
  failure.evidence = std::move(observed);
  failure.remedy = std::move(remedy);
  return failure;
}

Failure router_count_failure(const WorkerEndpoint& router, const std::vector<std::string>& missing,
                             std::size_t workers, std::string observed, const std::string& limit) {
  Failure failure = failure_at(router, Outcome::kUnhealthy);
  failure.what = router.name + " counts " + std::to_string(workers - missing.size()) + " of " +
                 std::to_string(workers) + " workers healthy " + limit;
  failure.cause = "not registered or not healthy: " + join(missing, ", ");
  failure.evidence = std::move(observed);
  failure.remedy = "check that the router's node reaches those addresses, and look at its log";
  return failure;
}

Failure foreign_failure(const WorkerEndpoint& router, const RouterAnswer& answer) {
  Failure failure = failure_at(router, Outcome::kUnhealthy);
  failure.what = router.name + " also routes to workers that are not of this run";
  failure.cause = "foreign workers are registered: " + join(answer.foreign, ", ");
  failure.evidence = answer.observed;
  failure.remedy = "find who registered them; two runs must not share a router port";
  return failure;
}

Failure no_stream_failure(const WorkerEndpoint& front_end, const std::string& how) {
  Failure failure = failure_at(front_end, Outcome::kUnhealthy);
  failure.what = "every health check passed, but " + front_end.name + " streams no tokens";
  failure.cause = "a small streamed request did not succeed";
  failure.evidence = "requests to " + front_end.url + ": " + how;
  failure.remedy = "look at the logs of the router and of every worker";
  return failure;
}

Failure explained(Failure failure, const std::vector<std::string>& log_paths) {
  const auto cause = find_cause(log_paths);
  if (cause) {
    failure.cause = cause->cause;
    failure.evidence = cause->line;
    failure.remedy = cause->remedy;
    failure.files = cause->log_path + ":" + std::to_string(cause->line_number);
  }
  return failure;
}

}  // namespace sglexp
