// SPDX-License-Identifier: Apache-2.0
#include "harness/http/sse_parser.h"

#include <algorithm>
#include <cstring>

namespace sglexp {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kFirstBuffer = 16384;

}  // namespace

SseParser::SseParser(std::size_t max_event_bytes) : max_event_bytes_(max_event_bytes) {}

void SseParser::reset() {
  keep_ = line_ = scan_ = tail_ = 0;
  data_.reset();
  is_joined_ = false;
  name_.clear();
  at_start_ = true;
  skip_line_feed_ = finished_ = delivered_ = overflowed_ = false;
}

std::string_view SseParser::text(Range range) const {
  return {buffer_.data() + range.begin, range.size};
}

void SseParser::make_room(std::size_t incoming) {
  if (delivered_) {  // views handed out before this call are no longer owed
    keep_ = line_;
  }
  if (keep_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + keep_, tail_ - keep_);
    line_ -= keep_;
    scan_ -= keep_;
    tail_ -= keep_;
    if (data_) {
      data_->begin -= keep_;
    }
    keep_ = 0;
  }
  const std::size_t needed = tail_ + incoming + kPadding;
  if (buffer_.size() < needed) {
    buffer_.resize(std::max({needed, 2 * buffer_.size(), kFirstBuffer}));
  }
}

void SseParser::feed(std::string_view bytes) {
  if (overflowed_ || bytes.empty()) {
    return;
  }
  if (delivered_) {
    data_.reset();
  }
  make_room(bytes.size());
  std::memcpy(buffer_.data() + tail_, bytes.data(), bytes.size());
  tail_ += bytes.size();
}

void SseParser::finish() {
  finished_ = true;
  if (buffer_.size() < tail_ + kPadding) {
    buffer_.resize(tail_ + kPadding);
  }
}

// False while too few bytes have come to tell.
bool SseParser::skip_byte_order_mark() {
  const std::string_view have = text({line_, tail_ - line_}).substr(0, kByteOrderMark.size());
  if (!kByteOrderMark.starts_with(have) || (have.size() < kByteOrderMark.size() && finished_)) {
    at_start_ = false;
    return true;
  }
  if (have.size() < kByteOrderMark.size()) {
    return false;
  }
  at_start_ = false;
  keep_ = line_ = scan_ = line_ + kByteOrderMark.size();
  return true;
}

std::optional<SseParser::Range> SseParser::take_line() {
  if (skip_line_feed_ && line_ < tail_) {
    skip_line_feed_ = false;
    if (buffer_[line_] == '\n') {
      ++line_;
      scan_ = line_;
    }
  }
  const std::string_view rest = text({scan_, tail_ - scan_});
  // memchr twice is far faster than one search for either byte.
  const std::size_t feed_at = rest.find('\n');
  const std::size_t return_at = rest.substr(0, feed_at).find('\r');
  const std::size_t found = std::min(feed_at, return_at);
  if (found == std::string_view::npos) {
    scan_ = tail_;
    if (!finished_ || line_ == tail_) {
      return std::nullopt;
    }
    const Range last{line_, tail_ - line_};
    line_ = tail_;
    return last;
  }
  const std::size_t end = scan_ + found;
  const Range line{line_, end - line_};
  skip_line_feed_ = found == return_at;
  line_ = scan_ = end + 1;
  return line;
}

void SseParser::add_data(Range value) {
  if (is_joined_) {
    joined_ += '\n';
    joined_ += text(value);
  } else if (data_) {
    joined_ = text(*data_);
    joined_ += '\n';
    joined_ += text(value);
    is_joined_ = true;
  } else {
    data_ = value;
  }
}

void SseParser::take_field(Range line) {
  const std::string_view whole = text(line);
  const std::size_t colon = std::min(whole.find(':'), whole.size());
  std::size_t value_at = std::min(colon + 1, whole.size());
  if (value_at < whole.size() && whole[value_at] == ' ') {
    ++value_at;
  }
  const std::string_view field = whole.substr(0, colon);
  if (field == "data") {
    add_data({line.begin + value_at, line.size - value_at});
  } else if (field == "event") {
    name_ = whole.substr(value_at);
  }
}

SseEvent SseParser::dispatch() {
  delivered_ = true;
  if (!is_joined_) {
    return {name_, text(*data_)};
  }
  const std::size_t size = joined_.size();
  joined_.resize(size + kPadding);  // the view ends before it; see the contract of SseEvent
  return {name_, std::string_view(joined_).substr(0, size)};
}

std::optional<SseEvent> SseParser::next() {
  if (overflowed_) {
    return std::nullopt;
  }
  if (delivered_) {
    delivered_ = false;
    data_.reset();
    is_joined_ = false;
    name_.clear();
    keep_ = line_;
  }
  if (at_start_ && !skip_byte_order_mark()) {
    return std::nullopt;
  }
  while (const auto line = take_line()) {
    if (line->size > 0) {
      take_field(*line);
      if (!data_) {
        keep_ = line_;  // comments and skipped fields need not stay
      }
    } else if (data_) {
      return dispatch();
    } else {
      name_.clear();
      keep_ = line_;
    }
  }
  if (tail_ - keep_ > max_event_bytes_ || (is_joined_ && joined_.size() > max_event_bytes_)) {
    overflowed_ = true;
    return std::nullopt;
  }
  if (finished_ && data_) {
    return dispatch();
  }
  return std::nullopt;
}

}  // namespace sglexp
