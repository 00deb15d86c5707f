// SPDX-License-Identifier: Apache-2.0
#include "harness/health/endpoint_watch.h"

#include <algorithm>
#include <utility>

#include "harness/health/readiness_failure.h"

namespace sglexp {

namespace {

constexpr Nanos kLongestTimeout = Seconds(25);

}  // namespace

Nanos CallTimeout::within(Nanos remaining) const {
  return std::clamp<Nanos>(remaining, Millis(1), next_);
}

void CallTimeout::after(bool was_slow) {
  if (was_slow) {
    next_ = std::min<Nanos>(next_ * 2, kLongestTimeout);
  }
}

WatchStep WorkerWatch::poll(HttpClient& http, Nanos remaining) {
  return up_ ? poll_identity(http, remaining) : poll_health(http, remaining);
}

WatchStep WorkerWatch::poll_health(HttpClient& http, Nanos remaining) {
  const HealthAnswer answer = ask_health(http, worker_->url, timeout_.within(remaining));
  timeout_.after(answer.state == HealthState::kSlow);
  WatchStep step;
  step.moved = last_health_ != answer.state;
  last_health_ = answer.state;
  observed_ = answer.observed;
  answered_ = answered_ || answer.state != HealthState::kRefused;
  if (answer.state == HealthState::kHealthy) {
    up_ = true;
    step.passed = "worker_up " + worker_->name;
  } else if (answer.state == HealthState::kWrongProgram) {
    step.failure = stranger_failure(*worker_, "the program on its port is not an inference server",
                                    answer.observed);
  }
  return step;
}

WatchStep WorkerWatch::poll_identity(HttpClient& http, Nanos remaining) {
  const IdentityAnswer answer =
      ask_identity(http, worker_->url, worker_->launch_seed, timeout_.within(remaining));
  timeout_.after(answer.slow);
  WatchStep step;
  step.moved = last_identity_ != answer.state;
  last_identity_ = answer.state;
  observed_ = answer.observed;
  switch (answer.state) {
    case IdentityState::kOurs:
      identified_ = true;
      step.passed = "worker_identity " + worker_->name;
      break;
    case IdentityState::kStranger:
      step.failure = stranger_failure(
          *worker_, "its port is served by an engine that this run did not start", answer.observed);
      break;
    case IdentityState::kWrongProgram:
      step.failure = stranger_failure(*worker_, "the program on its port cannot tell who it is",
                                      answer.observed);
      break;
    case IdentityState::kUnknown:
      break;
  }
  return step;
}

Failure WorkerWatch::overdue(const std::string& limit, const std::string& remedy) const {
  return waiting_failure(*worker_, answered_, observed_, limit, remedy);
}

WatchStep RouterWatch::poll(HttpClient& http, Nanos remaining) {
  RouterAnswer answer = ask_router(http, router_->url, worker_urls_, timeout_.within(remaining));
  timeout_.after(answer.slow);
  answered_ = answered_ || answer.state != RouterState::kUnreachable;
  WatchStep step;
  step.moved = !last_ || last_->state != answer.state || last_->healthy != answer.healthy;
  switch (answer.state) {
    case RouterState::kComplete:
      step.passed = "router_count";
      break;
    case RouterState::kForeign:
      step.failure = foreign_failure(*router_, answer);
      break;
    case RouterState::kWrongProgram:
      step.failure = stranger_failure(*router_, "the program on its port is not an SGLang router",
                                      answer.observed);
      break;
    case RouterState::kUnreachable:
    case RouterState::kIncomplete:
      break;
  }
  last_ = std::move(answer);
  return step;
}

Failure RouterWatch::overdue(const std::string& limit, const std::string& remedy) const {
  const std::string observed = last_ ? last_->observed : "not asked yet";
  if (!answered_) {
    return waiting_failure(*router_, false, observed, limit, remedy);
  }
  return router_count_failure(*router_, last_->missing, worker_urls_.size(), observed, limit);
}

}  // namespace sglexp
