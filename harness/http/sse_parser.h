// SPDX-License-Identifier: Apache-2.0
// Server-sent events out of a byte stream that may be cut anywhere (WHATWG HTML, section 9.2.6).
//
// Lines end with LF, CRLF or CR; one leading byte order mark is dropped; comments, `id:`, `retry:`
// and unknown fields are skipped; `data:` may lack the blank after the colon; several data lines
// join with LF. Unlike a browser, finish() delivers an event whose last blank line (or even line
// end) never came: servers do end a stream right after "data: [DONE]".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

// Both views are valid until the next call on the parser. At least SseParser::kPadding readable
// bytes follow `data`, so that a SIMD parser may run over its end in place.
struct SseEvent {
  std::string_view name;  // the `event:` field, empty for the usual message
  std::string_view data;
};

class SseParser {
 public:
  static constexpr std::size_t kPadding = 64;
  static constexpr std::size_t kDefaultMaxEvent = std::size_t{8} << 20;

  explicit SseParser(std::size_t max_event_bytes = kDefaultMaxEvent);

  // Takes bytes as they arrived. Drain next() before the following call, or they pile up.
  void feed(std::string_view bytes);
  // The next complete event, or nothing until more bytes come.
  [[nodiscard]] std::optional<SseEvent> next();
  // The stream has ended: what is buffered counts as complete. Then drain next() once more.
  void finish();
  // One event was larger than the limit. The stream is lost: next() yields nothing any more.
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  // Ready for another stream; keeps the memory.
  void reset();

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  void make_room(std::size_t incoming);
  [[nodiscard]] bool skip_byte_order_mark();
  [[nodiscard]] std::optional<Range> take_line();
  void take_field(Range line);
  void add_data(Range value);
  [[nodiscard]] SseEvent dispatch();
  [[nodiscard]] std::string_view text(Range range) const;

  std::size_t max_event_bytes_;
  std::vector<char> buffer_;  // [keep_, tail_) holds bytes still needed, then kPadding spare
  std::size_t keep_ = 0;      // start of the event under construction
  std::size_t line_ = 0;      // start of the current line
  std::size_t scan_ = 0;      // no line end lies in [line_, scan_)
  std::size_t tail_ = 0;
  std::optional<Range> data_;  // the first data line, in place
  std::string joined_;         // used from the second data line on
  bool is_joined_ = false;
  std::string name_;
  bool at_start_ = true;
  bool skip_line_feed_ = false;  // the last line ended with CR; a following LF belongs to it
  bool finished_ = false;
  bool delivered_ = false;  // the event before was handed out; its state is cleared lazily
  bool overflowed_ = false;
};

}  // namespace sglexp
