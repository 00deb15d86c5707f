// SPDX-License-Identifier: Apache-2.0
// One event of a streamed answer -> what it says about tokens, text, errors and the end.
//
// Shapes, as SGLang (0.4 to 0.5.18) and vLLM send them:
//  - /generate: `text` is the whole output so far (SGLang's default in every version), counters in
//    `meta_info`, whose finish_reason is null or an object with a type.
//  - /v1/*: text is a delta; `usage` may come with every event, only with a last one that has no
//    choices, or never; chat begins with a role-only event; reasoning models send
//    `reasoning_content`; finish_reason is null or a string.
//  - errors: {"error": "..."}, {"error": {"message": ...}} or {"object": "error", "message": ...},
//    with HTTP 200; on /generate also a finish_reason of type "abort".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/load/load_job.h"

namespace sglexp {

// Views point into the event's bytes or the decoder and last until the next decode().
struct DecodedEvent {
  bool done = false;                    // [DONE]
  bool has_output = false;              // text, reasoning or a tool call
  bool has_choices = false;             // not an event that carries usage alone
  std::int32_t completion_tokens = -1;  // so far, by the server's count; -1: does not say
  std::int32_t prompt_tokens = -1;
  std::int32_t cached_tokens = -1;
  std::string finish_reason;   // empty: not finished
  bool failed = false;         // the server reports an error in this event
  std::string_view error;      // its words
  std::string_view text;       // the delta; for /generate the whole text, and at the end only
  std::size_t text_bytes = 0;  // /generate: length of the text so far, as JSON
};

class EventDecoder {
 public:
  explicit EventDecoder(LoadApi api);
  ~EventDecoder();
  EventDecoder(const EventDecoder&) = delete;
  EventDecoder& operator=(const EventDecoder&) = delete;

  // At least SseParser::kPadding readable bytes must follow `data`. False: not JSON, or not an
  // event of this API. No allocation once the largest event has been seen.
  [[nodiscard]] bool decode(std::string_view data, DecodedEvent& event);

 private:
  struct Parser;
  LoadApi api_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace sglexp
