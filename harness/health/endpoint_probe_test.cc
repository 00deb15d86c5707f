// SPDX-License-Identifier: Apache-2.0
#include "harness/health/endpoint_probe.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/fake_http.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kUrl = "http://n1:30000";

FakeHttp answering(std::map<std::string, HttpResponse> answers) {
  return FakeHttp([answers = std::move(answers)](const HttpCall& call) -> Result<HttpResponse> {
    const auto found = answers.find(call.url);
    return found == answers.end() ? HttpResponse{404, "{\"detail\":\"Not Found\"}"} : found->second;
  });
}

FakeHttp failing(ErrorCode code) {
  return FakeHttp([code](const HttpCall&) -> Result<HttpResponse> {
    return Error{code, "no answer"};
  });
}

TEST(AskHealth, MapsStatusesToStates) {
  const std::map<int, HealthState> expected = {{200, HealthState::kHealthy},
                                               {503, HealthState::kWarming},
                                               {404, HealthState::kWrongProgram},
                                               {401, HealthState::kOther},
                                               {500, HealthState::kOther}};
  for (const auto& [status, state] : expected) {
    FakeHttp http = answering({{kUrl + "/health", {status, ""}}});
    EXPECT_EQ(ask_health(http, kUrl + "/", Seconds(2)).state, state) << status;
  }
  FakeHttp refused = failing(ErrorCode::kUnavailable);
  EXPECT_EQ(ask_health(refused, kUrl, Seconds(2)).state, HealthState::kRefused);
  FakeHttp slow = failing(ErrorCode::kTimedOut);
  EXPECT_EQ(ask_health(slow, kUrl, Seconds(2)).state, HealthState::kSlow);
  EXPECT_EQ(slow.calls().at(0).timeout, Seconds(2));
}

TEST(AskIdentity, ComparesTheSeed) {
  FakeHttp http =
      answering({{kUrl + "/server_info", {200, R"({"random_seed":77,"api_key":"s3cret"})"}}});
  EXPECT_EQ(ask_identity(http, kUrl, 77, Seconds(2)).state, IdentityState::kOurs);
  const IdentityAnswer other = ask_identity(http, kUrl, 78, Seconds(2));
  EXPECT_EQ(other.state, IdentityState::kStranger);
  EXPECT_THAT(other.observed, HasSubstr("random_seed 77, this run passed 78"));
  EXPECT_THAT(other.observed, Not(HasSubstr("s3cret")));
}

TEST(AskIdentity, KeepsSeedsOfSixtyFourBitsWhole) {
  FakeHttp http =
      answering({{kUrl + "/server_info", {200, R"({"random_seed":18446744073709551615})"}}});
  EXPECT_EQ(ask_identity(http, kUrl, 18446744073709551615ULL, Seconds(2)).state,
            IdentityState::kOurs);
}

TEST(AskIdentity, FallsBackToTheOldPath) {
  FakeHttp http = answering({{kUrl + "/get_server_info", {200, R"({"random_seed":77})"}}});
  EXPECT_EQ(ask_identity(http, kUrl, 77, Seconds(2)).state, IdentityState::kOurs);
  FakeHttp neither = answering({});
  EXPECT_EQ(ask_identity(neither, kUrl, 77, Seconds(2)).state, IdentityState::kWrongProgram);
}

TEST(AskIdentity, IsUnknownWithoutASeed) {
  for (const char* body :
       {"", "{}", "[]", "{\"random_seed\":null}", "{\"random_seed\":\"77\"}", "<html>"}) {
    FakeHttp http = answering({{kUrl + "/server_info", {200, body}}});
    EXPECT_EQ(ask_identity(http, kUrl, 77, Seconds(2)).state, IdentityState::kUnknown) << body;
  }
  FakeHttp slow = failing(ErrorCode::kTimedOut);
  EXPECT_TRUE(ask_identity(slow, kUrl, 77, Seconds(2)).slow);
}

TEST(AskRouter, WantsEveryWorkerHealthy) {
  const auto workers = [](const char* second) {
    return std::string(R"({"workers":[{"id":"a","url":"http://n1:30000/","is_healthy":true},)") +
           second + R"(],"total":2,"stats":{"total_workers":2}})";
  };
  const std::vector<std::string> ours = {"http://n1:30000", "http://n2:30000"};
  FakeHttp both = answering(
      {{kUrl + "/workers", {200, workers(R"({"url":"http://n2:30000","is_healthy":true})")}}});
  EXPECT_EQ(ask_router(both, kUrl, ours, Seconds(2)).state, RouterState::kComplete);

  FakeHttp sick = answering(
      {{kUrl + "/workers", {200, workers(R"({"url":"http://n2:30000","is_healthy":false})")}}});
  const RouterAnswer one = ask_router(sick, kUrl, ours, Seconds(2));
  EXPECT_EQ(one.state, RouterState::kIncomplete);
  EXPECT_EQ(one.healthy, 1);
  EXPECT_THAT(one.missing, ElementsAre("http://n2:30000"));

  FakeHttp foreign = answering(
      {{kUrl + "/workers", {200, workers(R"({"url":"http://n9:30000","is_healthy":true})")}}});
  const RouterAnswer other = ask_router(foreign, kUrl, ours, Seconds(2));
  EXPECT_EQ(other.state, RouterState::kForeign);
  EXPECT_THAT(other.foreign, ElementsAre("http://n9:30000"));
}

TEST(AskRouter, ReadsTheListOfOldRouters) {
  FakeHttp http = answering({{kUrl + "/list_workers", {200, R"({"urls":["http://n1:30000"]})"}}});
  EXPECT_EQ(ask_router(http, kUrl, {"http://n1:30000"}, Seconds(2)).state, RouterState::kComplete);
  FakeHttp neither = answering({});
  EXPECT_EQ(ask_router(neither, kUrl, {"http://n1:30000"}, Seconds(2)).state,
            RouterState::kWrongProgram);
}

TEST(AskRouter, AnEmptyOrStrangeAnswerIsNeverComplete) {
  const std::vector<std::string> ours = {"http://n1:30000"};
  for (const char* body :
       {"", "{}", "[]", R"({"workers":[]})", R"({"workers":[{"url":"http://n1:30000"}]})",
        R"({"workers":[{"url":3,"is_healthy":true}]})", R"({"workers":{"a":1}})",
        R"({"urls":[]})"}) {
    FakeHttp http = answering({{kUrl + "/workers", {200, body}}});
    EXPECT_NE(ask_router(http, kUrl, ours, Seconds(2)).state, RouterState::kComplete) << body;
  }
  FakeHttp error = answering({{kUrl + "/workers", {500, "x"}}});
  EXPECT_EQ(ask_router(error, kUrl, ours, Seconds(2)).state, RouterState::kUnreachable);
}

}  // namespace
}  // namespace sglexp
