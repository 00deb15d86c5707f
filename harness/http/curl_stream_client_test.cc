// SPDX-License-Identifier: Apache-2.0
#include "harness/http/curl_stream_client.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/scripted_server.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using After = ScriptedAnswer::After;

class Recorder : public StreamSink {
 public:
  void on_sent(TimePoint at) override { sent = at; }
  void on_headers(int code, TimePoint at) override {
    status = code;
    headers = at;
  }
  bool on_bytes(std::string_view bytes, TimePoint at) override {
    body += bytes;
    ++pieces;
    last = at;
    return pieces < stop_after;
  }
  void on_done(const StreamEnd& how, TimePoint at) override {
    ++done;
    end = how;
    ended = at;
    if (then) {
      then();
    }
  }

  int status = 0;
  int pieces = 0;
  int done = 0;
  int stop_after = 1 << 30;
  std::string body;
  StreamEnd end;
  TimePoint sent, headers, last, ended;
  std::function<void()> then;
};

class CurlStreamClient : public ::testing::Test {
 protected:
  std::unique_ptr<StreamClient> make(int streams = 1) {
    return make_curl_stream_client({streams, Seconds(5)}, clock_).value();
  }
  // Turns the loop until nothing is in flight; the limit only bounds a broken client.
  static void drain(StreamClient& client) {
    for (int i = 0; i < 100'000 && client.stats().in_flight > 0; ++i) {
      ASSERT_TRUE(client.run_once(Millis(100)).ok());
    }
    ASSERT_EQ(client.stats().in_flight, 0);
  }

  SystemClock clock_;
};

TEST_F(CurlStreamClient, DeliversABodyAndItsMomentsInOrder) {
  ScriptedServer server([](const ScriptedRequest&) {
    return stream_answer({"data: a\n\n", "data: b\n\n"});
  });
  auto client = make();
  Recorder sink;
  const TimePoint before = clock_.now();
  ASSERT_TRUE(client->start({server.url() + "/generate", "{\"a\":1}"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.done, 1);
  EXPECT_EQ(sink.end.error, StreamError::kNone);
  EXPECT_EQ(sink.status, 200);
  EXPECT_EQ(sink.body, "data: a\n\ndata: b\n\n");
  EXPECT_LE(before, sink.sent);
  EXPECT_LE(sink.sent, sink.headers);
  EXPECT_LE(sink.headers, sink.last);
  EXPECT_LE(sink.last, sink.ended);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].path, "/generate");
  EXPECT_EQ(requests[0].body, "{\"a\":1}");
  EXPECT_THAT(requests[0].head, HasSubstr("Content-Type: application/json"));
}

TEST_F(CurlStreamClient, SendsLargeBodiesAtOnce) {
  ScriptedServer server([](const ScriptedRequest&) { return stream_answer({"x"}); });
  auto client = make();
  const std::string body(3'000'000, 'y');
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), body}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.end.error, StreamError::kNone) << sink.end.detail;
  EXPECT_NE(sink.sent, TimePoint{});
  EXPECT_LE(sink.sent, sink.headers);
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(server.requests()[0].body, body);
  EXPECT_THAT(server.requests()[0].head, ::testing::Not(HasSubstr("Expect")));
}

TEST_F(CurlStreamClient, StartsTheNextRequestFromOnDoneOnTheSameConnection) {
  ScriptedServer server([](const ScriptedRequest&) { return stream_answer({"x"}); });
  auto client = make();
  Recorder sink;
  int left = 20;
  sink.then = [&] {
    if (--left > 0) {
      ASSERT_TRUE(client->start({server.url(), "{}"}, sink).ok());
    }
  };
  ASSERT_TRUE(client->start({server.url(), "{}"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.done, 20);
  EXPECT_EQ(client->stats().connections_opened, 1);
  EXPECT_EQ(client->stats().replays, 0);
}

TEST_F(CurlStreamClient, RunsMoreStreamsThanOneShardHolds) {
  ScriptedServer server(
      [](const ScriptedRequest& request) { return stream_answer({request.body}); });
  constexpr int kStreams = 300;
  auto client = make(kStreams);
  std::vector<Recorder> sinks(kStreams);
  std::vector<std::string> bodies;
  for (int i = 0; i < kStreams; ++i) {
    bodies.push_back(std::to_string(i));
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    ASSERT_TRUE(client->start({server.url(), bodies[i]}, sinks[i]).ok());
  }
  EXPECT_EQ(client->stats().in_flight, kStreams);
  drain(*client);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    EXPECT_EQ(sinks[i].body, bodies[i]);
  }
}

TEST_F(CurlStreamClient, PassesOtherStatusesOnAsValues) {
  ScriptedServer server([](const ScriptedRequest&) { return plain_answer(503, "busy"); });
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), "{}"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.status, 503);
  EXPECT_EQ(sink.body, "busy");
  EXPECT_EQ(sink.end.error, StreamError::kNone);
}

TEST_F(CurlStreamClient, CallsACutStreamCut) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return stream_answer({"data: a\n\n"}, false); });
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), "{}"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.body, "data: a\n\n");
  EXPECT_EQ(sink.end.error, StreamError::kCut);
  EXPECT_FALSE(sink.end.detail.empty());
}

TEST_F(CurlStreamClient, CallsARefusedConnectionSo) {
  std::string gone;
  {
    const ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
    gone = server.url();
  }
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({gone, "{}"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.end.error, StreamError::kConnect);
  EXPECT_EQ(sink.sent, TimePoint{});
}

TEST_F(CurlStreamClient, CallsGarbageProtocolError) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer{{"SSH-2.0-OpenSSH_9.2\r\n\r\n"}, After::kClose};
  });
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), "{}"}, sink).ok());
  ASSERT_TRUE(client->start({"ftp://127.0.0.1/", "{}"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.done, 2);
  EXPECT_EQ(sink.end.error, StreamError::kProtocol);
}

TEST_F(CurlStreamClient, ReplaysOnceWhereAPooledConnectionDied) {
  // The server takes the second request of the first connection and hangs up without a byte.
  ScriptedServer server([](const ScriptedRequest& request) {
    return request.connection == 0 && request.number == 1 ? ScriptedAnswer{{}, After::kClose}
                                                          : stream_answer({"x"});
  });
  auto client = make();
  Recorder first;
  ASSERT_TRUE(client->start({server.url(), "1"}, first).ok());
  drain(*client);
  Recorder second;
  ASSERT_TRUE(client->start({server.url(), "2"}, second).ok());
  drain(*client);
  EXPECT_EQ(second.end.error, StreamError::kNone) << second.end.detail;
  EXPECT_EQ(second.body, "x");
  EXPECT_EQ(client->stats().replays, 1);
  EXPECT_EQ(client->stats().connections_opened, 2);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].body, "2");
  EXPECT_EQ(requests[2].body, "2");
}

TEST_F(CurlStreamClient, ReplaysNothingOnceAByteOfTheAnswerCame) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return request.number == 1 ? stream_answer({"half"}, false) : stream_answer({"x"});
  });
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), "1"}, sink).ok());
  drain(*client);
  ASSERT_TRUE(client->start({server.url(), "2"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.end.error, StreamError::kCut);
  EXPECT_EQ(client->stats().replays, 0);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(CurlStreamClient, DoesNotReplayOnAFreshConnection) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{{}, After::kClose}; });
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), "1"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.end.error, StreamError::kCut);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(CurlStreamClient, StopsWhereTheSinkHasEnough) {
  ScriptedServer server([](const ScriptedRequest&) {
    ScriptedAnswer answer = stream_answer({"a", "b"});
    answer.writes.pop_back();  // never ends by itself
    return answer;
  });
  auto client = make();
  Recorder sink;
  sink.stop_after = 1;
  ASSERT_TRUE(client->start({server.url(), "1"}, sink).ok());
  drain(*client);
  EXPECT_EQ(sink.end.error, StreamError::kStopped);
}

TEST_F(CurlStreamClient, CancelEndsAStreamAtOnceAndOnlyThatOne) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return request.body == "hang" ? ScriptedAnswer{} : stream_answer({"x"});
  });
  auto client = make(2);
  Recorder hanging;
  Recorder other;
  ASSERT_TRUE(client->start({server.url(), "hang"}, hanging).ok());
  ASSERT_TRUE(client->start({server.url(), "go"}, other).ok());
  client->cancel(hanging);
  EXPECT_EQ(hanging.done, 1);
  EXPECT_EQ(hanging.end.error, StreamError::kStopped);
  client->cancel(hanging);  // no stream any more: nothing happens
  drain(*client);
  EXPECT_EQ(hanging.done, 1);
  EXPECT_EQ(other.end.error, StreamError::kNone);
}

TEST_F(CurlStreamClient, EndsStreamsInFlightSilentlyWhenDestroyed) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{}; });
  Recorder sink;
  {
    auto client = make();
    ASSERT_TRUE(client->start({server.url(), "1"}, sink).ok());
    ASSERT_TRUE(client->run_once(Nanos(0)).ok());
  }
  EXPECT_EQ(sink.done, 0);
}

TEST_F(CurlStreamClient, UsesNoProxyFromTheEnvironment) {
  ::setenv("all_proxy", "http://127.0.0.1:1", 1);
  ScriptedServer server([](const ScriptedRequest&) { return stream_answer({"x"}); });
  auto client = make();
  Recorder sink;
  ASSERT_TRUE(client->start({server.url(), "1"}, sink).ok());
  drain(*client);
  ::unsetenv("all_proxy");
  EXPECT_EQ(sink.body, "x");
}

}  // namespace
}  // namespace sglexp
