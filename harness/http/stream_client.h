// SPDX-License-Identifier: Apache-2.0
// The seam for streamed POSTs: many at a time on one thread, driven by the caller's loop.
//
// It moves bytes and stamps them; what the bytes mean is the sink's business. An implementation
// keeps connections alive and reuses them, never limits streams by itself, and replays a request
// once, silently but counted, where a pooled connection turns out dead before any byte of the
// answer (SGLang closes idle connections after 5 s, so this is ordinary).
//
// One thread only. Every call of a sink happens inside run_once() or cancel(); the clock is read
// once per delivery, before anything is parsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/sys/clock.h"

namespace sglexp {

enum class StreamError {
  kNone,      // the answer arrived whole, whatever its HTTP status
  kConnect,   // no connection: refused, unreachable, unknown host, TLS refused
  kTimeout,   // not connected within connect_timeout
  kCut,       // the connection ended before the answer did
  kProtocol,  // not HTTP, or a URL that cannot be used
  kStopped,   // by cancel(), or because the sink wanted no more bytes
};

struct StreamEnd {
  StreamError error = StreamError::kNone;
  std::string detail;  // the transport's own words; empty with kNone
};

// Receives one stream: on_sent, on_headers, on_bytes*, on_done; any but the last may be missing.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  // The last byte of the request has been handed to the kernel.
  virtual void on_sent(TimePoint at) = 0;
  // The status line of the final answer (never 1xx).
  virtual void on_headers(int status, TimePoint at) = 0;
  // A piece of the body, decoded from its transfer coding; valid during the call. False stops.
  [[nodiscard]] virtual bool on_bytes(std::string_view bytes, TimePoint at) = 0;
  // Exactly once, and last. May call StreamClient::start(), also for this same sink.
  virtual void on_done(const StreamEnd& end, TimePoint at) = 0;
};

struct StreamRequest {
  std::string url;        // http:// or https://
  std::string_view body;  // JSON; must live until on_done
};

struct StreamClientOptions {
  int max_streams = 1;  // sizes pools; more still work, only slower
  Nanos connect_timeout = Seconds(5);
};

struct StreamStats {
  int in_flight = 0;
  std::int64_t started = 0;
  std::int64_t connections_opened = 0;
  std::int64_t replays = 0;  // requests sent again because a pooled connection was dead
};

// One turn of the loop.
struct StreamRound {
  int ready = 0;  // descriptors that had something
  Nanos busy{0};  // from the return of the wait until the last of them was handled
};

class StreamClient {
 public:
  // Ends what is in flight without telling the sinks.
  virtual ~StreamClient() = default;
  // Queues the request; the sink must outlive its stream. Errors mean that the client is broken
  // (out of descriptors or memory): a server's refusal arrives at on_done.
  [[nodiscard]] virtual Status start(const StreamRequest& request, StreamSink& sink) = 0;
  // Calls the sink's on_done(kStopped) before it returns; nothing if the sink has no stream.
  // Not from inside on_sent, on_headers or on_bytes.
  virtual void cancel(StreamSink& sink) = 0;
  // Waits for at most max_wait, handles what is ready, delivers. A signal ends the wait early.
  [[nodiscard]] virtual Result<StreamRound> run_once(Nanos max_wait) = 0;
  [[nodiscard]] virtual StreamStats stats() const = 0;
};

}  // namespace sglexp
