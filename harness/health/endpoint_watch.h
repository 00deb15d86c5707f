// SPDX-License-Identifier: Apache-2.0
// One endpoint on its way to ready: what it was last asked, what it said, what to ask next.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/health/endpoint_probe.h"
#include "harness/health/readiness.h"
#include "harness/http/http_client.h"
#include "harness/record/outcome.h"

namespace sglexp {

// How long to wait for one answer: 2 s at first, twice as long after each silence, 25 s at most
// (SGLang's own health check gives up after 20 s), and never beyond `remaining`.
class CallTimeout {
 public:
  [[nodiscard]] Nanos within(Nanos remaining) const;
  void after(bool was_slow);

 private:
  Nanos next_ = Seconds(2);
};

// What one call brought.
struct WatchStep {
  bool moved = false;  // it says something else than before
  std::string passed;  // the stage that it has now passed, empty for none
  std::optional<Failure> failure;
};

class WorkerWatch {
 public:
  explicit WorkerWatch(const WorkerEndpoint& worker) : worker_(&worker) {}
  // One call: health until that passes, then identity.
  [[nodiscard]] WatchStep poll(HttpClient& http, Nanos remaining);
  [[nodiscard]] const WorkerEndpoint& endpoint() const { return *worker_; }
  [[nodiscard]] bool up() const { return up_; }
  [[nodiscard]] bool ready() const { return identified_; }
  // Why it is not ready; `limit` and `remedy` as in readiness_failure.h.
  [[nodiscard]] Failure overdue(const std::string& limit, const std::string& remedy) const;

 private:
  [[nodiscard]] WatchStep poll_health(HttpClient& http, Nanos remaining);
  [[nodiscard]] WatchStep poll_identity(HttpClient& http, Nanos remaining);

  const WorkerEndpoint* worker_;
  CallTimeout timeout_;
  bool answered_ = false;
  bool up_ = false;
  bool identified_ = false;
  std::optional<HealthState> last_health_;
  std::optional<IdentityState> last_identity_;
  std::string observed_ = "not asked yet";
};

class RouterWatch {
 public:
  RouterWatch(const WorkerEndpoint& router, std::vector<std::string> worker_urls)
      : router_(&router), worker_urls_(std::move(worker_urls)) {}
  [[nodiscard]] WatchStep poll(HttpClient& http, Nanos remaining);
  [[nodiscard]] const WorkerEndpoint& endpoint() const { return *router_; }
  [[nodiscard]] bool ready() const { return last_ && last_->state == RouterState::kComplete; }
  // Whether its port ever answered: then its own account of the workers is the explanation.
  [[nodiscard]] bool answered() const { return answered_; }
  [[nodiscard]] Failure overdue(const std::string& limit, const std::string& remedy) const;

 private:
  const WorkerEndpoint* router_;
  std::vector<std::string> worker_urls_;
  CallTimeout timeout_;
  bool answered_ = false;
  std::optional<RouterAnswer> last_;
};

}  // namespace sglexp
