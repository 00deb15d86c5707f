// SPDX-License-Identifier: Apache-2.0
// One request on its way: turns the bytes of its answer into a RequestRecord.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/http/sse_parser.h"
#include "harness/http/stream_client.h"
#include "harness/load/event_decoder.h"
#include "harness/record/request.h"
#include "harness/sys/clock.h"

namespace sglexp {

// What all streams of a job share. The loop counts its turns in `round` and reads the counters.
struct StreamContext {
  TimePoint origin;
  LoadApi api = LoadApi::kGenerate;
  int asked_tokens = 0;
  std::int64_t round = 0;
  std::int64_t token_events = 0;
  std::int64_t coalesced_events =
      0;  // shared one turn of the loop with an earlier one of its stream
};

// Reused for one request after another. Single thread, like its StreamClient.
class RequestStream : public StreamSink {
 public:
  RequestStream(StreamContext& context, EventDecoder& decoder,
                std::function<void(RequestStream&)> ended);

  // The record must have its seq and outlive the request.
  void begin(RequestRecord& record, TimePoint at);
  // Which of the limits has passed at `now`, in words; nothing while all is well. 0 = no limit.
  [[nodiscard]] std::optional<std::string> overdue(const LoadJob& job, TimePoint now) const;
  // How the end that the caller is about to bring by StreamClient::cancel() shall be recorded.
  void mark_stopped(RequestStatus status, std::string why);

  [[nodiscard]] bool active() const { return record_ != nullptr; }

  void on_sent(TimePoint at) override;
  void on_headers(int status, TimePoint at) override;
  [[nodiscard]] bool on_bytes(std::string_view bytes, TimePoint at) override;
  void on_done(const StreamEnd& end, TimePoint at) override;

 private:
  [[nodiscard]] std::int64_t since_origin(TimePoint at) const;
  void drain_events(TimePoint at);
  void take_event(const DecodedEvent& event, TimePoint at);
  void count_tokens(const DecodedEvent& event, TimePoint at);
  void take_text(const DecodedEvent& event);
  [[nodiscard]] RequestStatus classify(const StreamEnd& end) const;
  void describe_failure(const StreamEnd& end);

  StreamContext& context_;
  EventDecoder& decoder_;
  std::function<void(RequestStream&)> ended_;
  SseParser parser_;
  DecodedEvent event_;
  RequestRecord* record_ = nullptr;
  std::string output_;      // the text so far (/v1/*), or whole at the end (/generate)
  std::string error_body_;  // beginning of an answer other than 200
  std::size_t text_bytes_ = 0;
  bool text_shrank_ = false;  // /generate: the server sends deltas, so the whole text is unknown
  bool done_ = false;
  bool in_band_error_ = false;
  bool unparsable_ = false;
  std::int64_t last_token_round_ = -1;
  std::optional<RequestStatus> stopped_as_;
};

}  // namespace sglexp
