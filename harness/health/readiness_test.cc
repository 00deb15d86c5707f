// SPDX-License-Identifier: Apache-2.0
#include "harness/health/readiness.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/fake_clock.h"
#include "harness/fakes/fake_http.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Result<HttpResponse> kRefused = Error{ErrorCode::kUnavailable, "connection refused"};
const Result<HttpResponse> kSilent = Error{ErrorCode::kTimedOut, "timed out"};

// Two workers behind a router on a cluster that a test can break. Times are since the start.
class WaitReady : public ::testing::Test {
 protected:
  WaitReady() : http_([this](const HttpCall& call) { return answer(call); }) {
    target_.workers = {worker("w0", "n1", 100), worker("w1", "n2", 200)};
    target_.router = worker("router", "n1", 0);
    target_.deadline = Seconds(600);
    target_.no_progress = Seconds(120);
  }

  WorkerEndpoint worker(const std::string& name, const std::string& node, std::uint64_t seed) {
    return {name, node, "http://" + name, seed, dir_.path() + "/" + name + ".log", "m"};
  }

  Readiness wait() {
    return wait_ready(
        target_, http_, clock_,
        [this](const std::string& name) -> std::optional<std::string> {
          const auto found = dies_at_.find(name);
          if (found != dies_at_.end() && clock_.elapsed() >= found->second) {
            return "exit code 1";
          }
          return std::nullopt;
        },
        [this](const std::string& url, const std::string& model) {
          streamed_ += url + " " + model + ";";
          return stream_problem_;
        },
        [this] { return cancel_at_ >= Nanos(0) && clock_.elapsed() >= cancel_at_; });
  }

  Result<HttpResponse> answer(const HttpCall& call) {
    const std::string host = call.url.substr(0, call.url.find('/', 7));
    const std::string path = call.url.substr(host.size());
    if (host == "http://router") {
      return path == "/workers" ? router_answer_ : Result<HttpResponse>(HttpResponse{404, ""});
    }
    const std::string name = host.substr(7);
    if (path == "/health") {
      if (health_[name]) {
        return health_[name](call);
      }
      return clock_.elapsed() >= healthy_at_[name] ? Result<HttpResponse>(HttpResponse{200, ""})
                                                   : kRefused;
    }
    return HttpResponse{200, "{\"random_seed\":" + seed_[name] + "}"};
  }

  void log(const std::string& name, const std::string& text) {
    std::ofstream(dir_.path() + "/" + name + ".log", std::ios::app) << text;
  }

  TempDir dir_;
  FakeClock clock_;
  ReadinessTarget target_;
  std::map<std::string, Nanos> healthy_at_;
  std::map<std::string, Nanos> dies_at_;
  std::map<std::string, std::function<Result<HttpResponse>(const HttpCall&)>> health_;
  std::map<std::string, std::string> seed_ = {{"w0", "100"}, {"w1", "200"}};
  Result<HttpResponse> router_answer_ =
      HttpResponse{200, R"({"workers":[{"url":"http://w0","is_healthy":true},)"
                        R"({"url":"http://w1","is_healthy":true}]})"};
  std::string stream_problem_;
  std::string streamed_;
  Nanos cancel_at_{-1};
  FakeHttp http_;
};

TEST_F(WaitReady, PassesEveryStageInOrder) {
  healthy_at_ = {{"w0", Seconds(30)}, {"w1", Seconds(60)}};
  const Readiness readiness = wait();
  EXPECT_TRUE(readiness.ready);
  EXPECT_FALSE(readiness.failure.has_value());
  std::vector<std::string> stages;
  for (const StageTiming& timing : readiness.stages) {
    stages.push_back(timing.stage);
  }
  EXPECT_THAT(stages, ElementsAre("worker_up w0", "worker_identity w0", "worker_up w1",
                                  "worker_identity w1", "router_count", "streamed_request"));
  EXPECT_GE(readiness.stages[0].at, Seconds(30));
  EXPECT_LE(readiness.stages[0].at, Seconds(33));
  EXPECT_GE(readiness.stages[2].at, Seconds(60));
  EXPECT_EQ(streamed_, "http://router m;");
}

TEST_F(WaitReady, WithoutARouterTheFirstWorkerIsTheFrontEnd) {
  target_.router.reset();
  EXPECT_TRUE(wait().ready);
  EXPECT_EQ(streamed_, "http://w0 m;");
}

TEST_F(WaitReady, PollsFastAtFirstAndThenEveryTwoSeconds) {
  healthy_at_["w0"] = Seconds(60);
  target_.workers.pop_back();
  target_.router.reset();
  ASSERT_TRUE(wait().ready);
  EXPECT_GT(http_.calls().size(), 30U);
  EXPECT_LT(http_.calls().size(), 50U);
}

TEST_F(WaitReady, PollsFastAgainOnceTheAnswerChanges) {
  target_.workers.pop_back();
  target_.router.reset();
  health_["w0"] = [this](const HttpCall&) -> Result<HttpResponse> {
    if (clock_.elapsed() < Seconds(60)) {
      return kRefused;
    }
    return HttpResponse{clock_.elapsed() < Millis(62'500) ? 503 : 200, ""};
  };
  const Readiness readiness = wait();
  ASSERT_TRUE(readiness.ready);
  EXPECT_LE(readiness.stages.at(0).at, Millis(63'500));
}

TEST_F(WaitReady, ADeadProcessEndsTheWaitAtOnceWithItsCause) {
  healthy_at_ = {{"w0", Seconds(0)}, {"w1", Seconds(500)}};
  dies_at_["w1"] = Seconds(40);
  log("w0", "ok\n");
  log("w1",
      "server_args=...\nRuntimeError: No HIP GPUs are available\nReceived sigquit from a child "
      "process\n");
  const Readiness readiness = wait();
  ASSERT_TRUE(readiness.failure.has_value());
  const Failure& failure = *readiness.failure;
  EXPECT_EQ(failure.outcome, Outcome::kStartup);
  EXPECT_EQ(failure.what, "w1 ended during start-up (exit code 1)");
  EXPECT_EQ(failure.node, "n2");
  EXPECT_EQ(failure.phase, "ready");
  EXPECT_EQ(failure.cause, "the process sees no GPU");
  EXPECT_EQ(failure.evidence, "RuntimeError: No HIP GPUs are available");
  EXPECT_THAT(failure.remedy, HasSubstr("ROCR_VISIBLE_DEVICES"));
  EXPECT_THAT(failure.files, HasSubstr("/w1.log:2"));
  EXPECT_LE(clock_.elapsed(), Seconds(41));
}

TEST_F(WaitReady, ADeathWithoutAKnownPatternShowsTheLastLine) {
  dies_at_["w0"] = Seconds(0);
  log("w0", "first\nsomething odd\n\n");
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.evidence, "something odd");
  EXPECT_THAT(failure.cause, HasSubstr("no known pattern"));
}

TEST_F(WaitReady, ADeathAfterComingUpIsUnhealthy) {
  dies_at_["w0"] = Seconds(50);
  healthy_at_["w1"] = Seconds(100);
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kUnhealthy);
  EXPECT_THAT(failure.what, HasSubstr("w0 came up, then ended"));
}

TEST_F(WaitReady, ADeadRouterEndsTheWaitToo) {
  router_answer_ = kRefused;
  dies_at_["router"] = Seconds(3);
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kStartup);
  EXPECT_THAT(failure.what, HasSubstr("router ended during start-up"));
}

TEST_F(WaitReady, AHangingHealthCallDoesNotHideADeadProcess) {
  health_["w0"] = [this](const HttpCall& call) {
    clock_.advance(call.timeout);
    return kSilent;
  };
  healthy_at_["w1"] = Seconds(500);
  dies_at_["w1"] = Seconds(1);
  const Failure failure = *wait().failure;
  EXPECT_THAT(failure.what, HasSubstr("w1 ended"));
  EXPECT_LE(clock_.elapsed(), Seconds(3));
}

TEST_F(WaitReady, SilenceDoublesTheNextTimeoutUpToTwentyFiveSeconds) {
  target_.workers.pop_back();
  target_.router.reset();
  int calls = 0;
  health_["w0"] = [&](const HttpCall& call) -> Result<HttpResponse> {
    clock_.advance(call.timeout);
    return ++calls < 6 ? kSilent : Result<HttpResponse>(HttpResponse{200, ""});
  };
  ASSERT_TRUE(wait().ready);
  std::vector<Nanos> timeouts;
  for (std::size_t i = 0; i < 6; ++i) {
    timeouts.push_back(http_.calls()[i].timeout);
  }
  EXPECT_THAT(timeouts, ElementsAre(Seconds(2), Seconds(4), Seconds(8), Seconds(16), Seconds(25),
                                    Seconds(25)));
}

TEST_F(WaitReady, NoCallWaitsBeyondTheDeadline) {
  target_.deadline = Seconds(5);
  health_["w0"] = [this](const HttpCall& call) {
    clock_.advance(call.timeout);
    return kSilent;
  };
  EXPECT_FALSE(wait().ready);
  EXPECT_LE(clock_.elapsed(), Millis(5100));
}

TEST_F(WaitReady, TheDeadlineTellsWhoIsLateAndWhatItSaidLast) {
  healthy_at_["w1"] = Seconds(100'000);
  target_.no_progress = Nanos(0);
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kStartup);
  EXPECT_THAT(failure.what, HasSubstr("w1 did not become ready within 10 min"));
  EXPECT_THAT(failure.cause, HasSubstr("never opened"));
  EXPECT_EQ(failure.evidence, "connection refused");
  EXPECT_THAT(failure.remedy, HasSubstr("deadline"));
  EXPECT_EQ(failure.node, "n2");
}

TEST_F(WaitReady, AWorkerThatStaysAt503IsUnhealthy) {
  health_["w1"] = [](const HttpCall&) { return HttpResponse{503, ""}; };
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kUnhealthy);
  EXPECT_THAT(failure.what, HasSubstr("nothing has moved for 2 min"));
  EXPECT_THAT(failure.evidence, HasSubstr("HTTP 503"));
}

TEST_F(WaitReady, GrowingLogsHoldOffTheNoProgressLimit) {
  healthy_at_ = {{"w0", Seconds(400)}, {"w1", Seconds(400)}};
  int logged = 0;
  clock_.on_advance([&](Nanos elapsed) {
    if (elapsed >= Seconds(60) * (logged + 1)) {
      log("w1", "shard " + std::to_string(logged++) + "\n");
    }
  });
  EXPECT_TRUE(wait().ready);
}

TEST_F(WaitReady, OurOwnPollingInTheLogDoesNot) {
  healthy_at_ = {{"w0", Seconds(400)}, {"w1", Seconds(400)}};
  clock_.on_advance([&](Nanos) { log("w1", "\"GET /health HTTP/1.1\" 503\n"); });
  const Readiness readiness = wait();
  ASSERT_TRUE(readiness.failure.has_value());
  EXPECT_THAT(readiness.failure->what, HasSubstr("nothing has moved"));
}

TEST_F(WaitReady, AStuckRendezvousIsNamed) {
  healthy_at_["w0"] = Seconds(100'000);
  log("w0", "[2026-11-30 10:00:00 TP0] Init torch distributed begin.\n");
  const Failure failure = *wait().failure;
  EXPECT_THAT(failure.cause, HasSubstr("rendezvous"));
}

TEST_F(WaitReady, AnotherSeedMeansAnotherServerOnThePort) {
  seed_["w1"] = "999";
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kStartup);
  EXPECT_THAT(failure.what, HasSubstr("http://w1 does not answer as w1"));
  EXPECT_THAT(failure.evidence, HasSubstr("random_seed 999, this run passed 200"));
  EXPECT_LE(clock_.elapsed(), Seconds(1));
}

TEST_F(WaitReady, AnotherProgramOnThePortEndsTheWait) {
  health_["w0"] = [](const HttpCall&) { return HttpResponse{404, "nginx"}; };
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kStartup);
  EXPECT_THAT(failure.cause, HasSubstr("not an inference server"));
  EXPECT_THAT(failure.evidence, HasSubstr("nginx"));
}

TEST_F(WaitReady, ARouterThatCountsOneTooFewFailsWithTheMissingOne) {
  router_answer_ = HttpResponse{200, R"({"workers":[{"url":"http://w0","is_healthy":true},)"
                                     R"({"url":"http://w1","is_healthy":false}]})"};
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kUnhealthy);
  EXPECT_THAT(failure.what, HasSubstr("router counts 1 of 2 workers healthy"));
  EXPECT_THAT(failure.cause, HasSubstr("http://w1"));
  EXPECT_EQ(failure.node, "n1");
  EXPECT_EQ(streamed_, "");
}

TEST_F(WaitReady, AForeignWorkerEndsTheWait) {
  router_answer_ = HttpResponse{200, R"({"workers":[{"url":"http://w0","is_healthy":true},)"
                                     R"({"url":"http://w1","is_healthy":true},)"
                                     R"({"url":"http://stale","is_healthy":true}]})"};
  const Failure failure = *wait().failure;
  EXPECT_EQ(failure.outcome, Outcome::kUnhealthy);
  EXPECT_THAT(failure.cause, HasSubstr("http://stale"));
}

TEST_F(WaitReady, AFailingStreamIsTriedThreeTimes) {
  stream_problem_ = "http_status: HTTP 503: no_available_workers";
  const Readiness readiness = wait();
  EXPECT_FALSE(readiness.ready);
  EXPECT_EQ(streamed_, "http://router m;http://router m;http://router m;");
  EXPECT_EQ(readiness.failure->outcome, Outcome::kUnhealthy);
  EXPECT_THAT(readiness.failure->evidence, HasSubstr("no_available_workers"));
}

TEST_F(WaitReady, CancellingEndsTheWaitWithinAFractionOfASecond) {
  healthy_at_["w0"] = Seconds(500);
  cancel_at_ = Seconds(70);
  const Readiness readiness = wait();
  EXPECT_EQ(readiness.failure->outcome, Outcome::kCancelled);
  EXPECT_LE(clock_.elapsed(), Millis(70'300));
}

TEST_F(WaitReady, NoWorkersIsNeverReady) {
  target_.workers.clear();
  EXPECT_FALSE(wait().ready);
}

}  // namespace
}  // namespace sglexp
