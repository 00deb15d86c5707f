// SPDX-License-Identifier: Apache-2.0
#include "harness/http/http_client.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/scripted_server.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

TEST(HttpClient, ReturnsEveryStatusAsAValue) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return request.path == "/health" ? plain_answer(503, "") : plain_answer(404, "no such path");
  });
  auto client = make_curl_client();
  const auto warming = client->get(server.url() + "/health", Seconds(5));
  ASSERT_TRUE(warming.ok()) << warming.error().message;
  EXPECT_EQ(warming.value().status, 503);
  const auto missing = client->get(server.url() + "/x", Seconds(5));
  ASSERT_TRUE(missing.ok());
  EXPECT_EQ(missing.value().status, 404);
  EXPECT_EQ(missing.value().body, "no such path");
}

TEST(HttpClient, PostsTheBodyWithItsTypeAndWithoutExpecting100) {
  ScriptedServer server([](const ScriptedRequest&) { return plain_answer(200, "ok"); });
  auto client = make_curl_client();
  const std::string body(100'000, 'x');  // large enough for libcurl to add "Expect: 100-continue"
  const auto answer = client->post(server.url() + "/flush_cache", body, "text/plain", Seconds(5));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].body, body);
  EXPECT_THAT(requests[0].head, HasSubstr("Content-Type: text/plain"));
  EXPECT_THAT(requests[0].head, ::testing::Not(HasSubstr("Expect")));
}

TEST(HttpClient, IgnoresProxiesInTheEnvironment) {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ScriptedServer server([](const ScriptedRequest&) { return plain_answer(200, "direct"); });
  const auto answer = make_curl_client()->get(server.url() + "/", Seconds(5));
  ::unsetenv("http_proxy");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().body, "direct");
}

TEST(HttpClient, FollowsNoRedirect) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer{
        {"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"}};
  });
  const auto answer = make_curl_client()->get(server.url() + "/", Seconds(5));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().status, 302);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, TellsRefusedConnectionsSlowAnswersAndBadUrlsApart) {
  std::string gone;
  {
    const ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
    gone = server.url();
  }
  auto client = make_curl_client();
  const auto refused = client->get(gone + "/health", Seconds(5));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("GET " + gone + "/health"));

  ScriptedServer silent([](const ScriptedRequest&) { return ScriptedAnswer{}; });
  const auto slow = client->get(silent.url() + "/health", Millis(20));
  ASSERT_FALSE(slow.ok());
  EXPECT_EQ(slow.error().code, ErrorCode::kTimedOut);

  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "http://[bad"}) {
    const auto bad = client->get(url, Seconds(5));
    ASSERT_FALSE(bad.ok()) << url;
    EXPECT_EQ(bad.error().code, ErrorCode::kInvalidInput) << url;
  }
}

TEST(HttpClient, RefusesAnEndlessBody) {
  ScriptedServer server([](const ScriptedRequest&) {
    ScriptedAnswer answer{{"HTTP/1.1 200 OK\r\n\r\n"}, ScriptedAnswer::After::kClose};
    for (int i = 0; i < 17; ++i) {
      answer.writes.emplace_back(std::size_t{1} << 20, 'x');
    }
    return answer;
  });
  const auto answer = make_curl_client()->get(server.url() + "/", Seconds(20));
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("16 MiB"));
}

}  // namespace
}  // namespace sglexp
