// SPDX-License-Identifier: Apache-2.0
#include "harness/load/request_stream.h"

#include <algorithm>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/text.h"
#include "harness/load/load_job.h"

namespace sglexp {

namespace {

constexpr std::size_t kErrorBytes = 300;

}  // namespace

RequestStream::RequestStream(StreamContext& context, EventDecoder& decoder,
                             std::function<void(RequestStream&)> ended)
    : context_(context), decoder_(decoder), ended_(std::move(ended)) {}

std::int64_t RequestStream::since_origin(TimePoint at) const {
  return (at - context_.origin).count();
}

void RequestStream::begin(RequestRecord& record, TimePoint at) {
  record_ = &record;
  record.t_start_ns = record.t_sched_ns = since_origin(at);
  record.events.reserve(static_cast<std::size_t>(context_.asked_tokens) + 1);
  parser_.reset();
  output_.clear();
  error_body_.clear();
  text_bytes_ = 0;
  text_shrank_ = done_ = in_band_error_ = unparsable_ = false;
  last_token_round_ = -1;
  stopped_as_.reset();
}

std::optional<std::string> RequestStream::overdue(const LoadJob& job, TimePoint now) const {
  const Nanos at(since_origin(now));
  const auto passed = [&](std::int64_t since, Nanos limit) {
    return limit > Nanos(0) && at - Nanos(since) > limit;
  };
  if (passed(record_->t_start_ns, job.request_timeout)) {
    return "not finished within " + describe_duration(job.request_timeout);
  }
  if (record_->t_first_ns < 0 && passed(record_->t_start_ns, job.first_token_timeout)) {
    return "no token within " + describe_duration(job.first_token_timeout);
  }
  if (record_->t_last_ns >= 0 && passed(record_->t_last_ns, job.gap_timeout)) {
    return "no further token within " + describe_duration(job.gap_timeout);
  }
  return std::nullopt;
}

void RequestStream::mark_stopped(RequestStatus status, std::string why) {
  stopped_as_ = status;
  record_->error = std::move(why);
}

void RequestStream::on_sent(TimePoint at) {
  record_->t_sent_ns = since_origin(at);
}

void RequestStream::on_headers(int status, TimePoint at) {
  record_->http_status = status;
  record_->t_headers_ns = since_origin(at);
}

bool RequestStream::on_bytes(std::string_view bytes, TimePoint at) {
  if (record_->http_status != 200) {
    error_body_ += bytes.substr(0, kErrorBytes - std::min(kErrorBytes, error_body_.size()));
    return true;
  }
  parser_.feed(bytes);
  drain_events(at);
  return !unparsable_;
}

void RequestStream::drain_events(TimePoint at) {
  while (const auto sse = parser_.next()) {
    if (done_ || unparsable_) {
      continue;
    }
    if (!decoder_.decode(sse->data, event_)) {
      unparsable_ = true;
      record_->error = "not an event of this API: " + printable(sse->data, kErrorBytes);
      continue;
    }
    take_event(event_, at);
  }
  if (parser_.overflowed()) {
    unparsable_ = true;
    record_->error = "an event larger than 8 MiB";
  }
}

void RequestStream::take_event(const DecodedEvent& event, TimePoint at) {
  if (event.done) {
    done_ = true;
    return;
  }
  if (event.failed) {
    in_band_error_ = true;
    record_->error =
        event.error.empty() ? "an error without text" : printable(event.error, kErrorBytes);
  }
  if (event.prompt_tokens >= 0) {
    record_->input_tokens = event.prompt_tokens;
  }
  if (event.cached_tokens >= 0) {
    record_->cached_tokens = event.cached_tokens;
  }
  if (!event.finish_reason.empty()) {
    record_->finish_reason = printable(event.finish_reason, kErrorBytes);
  }
  count_tokens(event, at);
  take_text(event);
}

// The server's own counter tells how many tokens an event brought: an event is not a token. Where a
// server counts only at the end, each event with output stands for one until then.
void RequestStream::count_tokens(const DecodedEvent& event, TimePoint at) {
  RequestRecord& record = *record_;
  const std::int32_t before = record.events.empty() ? 0 : record.events.back().tokens;
  std::int32_t tokens = event.completion_tokens;
  if (tokens < 0 && event.has_output) {
    tokens = before + 1;
  }
  record.output_tokens = std::max(record.output_tokens, tokens);
  if (tokens <= before || !event.has_choices) {
    return;  // role, finish or usage alone: no token arrived now
  }
  const std::int64_t t = since_origin(at);
  record.events.push_back({t, tokens});
  if (record.t_first_ns < 0) {
    record.t_first_ns = t;
  }
  record.t_last_ns = t;
  ++context_.token_events;
  context_.coalesced_events += last_token_round_ == context_.round ? 1 : 0;
  last_token_round_ = context_.round;
}

void RequestStream::take_text(const DecodedEvent& event) {
  if (context_.api != LoadApi::kGenerate) {
    output_ += event.text;
    return;
  }
  text_shrank_ = text_shrank_ || (event.text_bytes > 0 && event.text_bytes < text_bytes_);
  text_bytes_ = std::max(text_bytes_, event.text_bytes);
  if (!event.finish_reason.empty()) {
    output_ = event.text;
  }
}

RequestStatus RequestStream::classify(const StreamEnd& end) const {
  if (stopped_as_) {
    return *stopped_as_;
  }
  if (unparsable_) {
    return RequestStatus::kParse;
  }
  if (end.error == StreamError::kConnect) {
    return RequestStatus::kConnect;
  }
  if (end.error == StreamError::kTimeout) {
    return RequestStatus::kTimeout;
  }
  if (record_->http_status != 0 && record_->http_status != 200) {
    return RequestStatus::kHttpStatus;
  }
  if (in_band_error_) {
    return RequestStatus::kInBandError;
  }
  if (end.error == StreamError::kProtocol) {
    return RequestStatus::kParse;
  }
  // A connection that ends badly after [DONE] took nothing away from the answer.
  if (!done_ || record_->finish_reason.empty()) {
    return RequestStatus::kTruncated;
  }
  return record_->output_tokens == context_.asked_tokens ? RequestStatus::kOk
                                                         : RequestStatus::kWrongLength;
}

void RequestStream::describe_failure(const StreamEnd& end) {
  RequestRecord& record = *record_;
  switch (record.status) {
    case RequestStatus::kOk:
    case RequestStatus::kCancelled:
      break;
    case RequestStatus::kHttpStatus:
      record.error =
          "HTTP " + std::to_string(record.http_status) + ": " + printable(error_body_, kErrorBytes);
      break;
    case RequestStatus::kTruncated:
      record.error = !end.detail.empty() ? end.detail
                     : done_             ? "[DONE] without a finish reason"
                                         : "the stream ended without [DONE]";
      break;
    case RequestStatus::kWrongLength:
      record.error = "asked for " + std::to_string(context_.asked_tokens) + " tokens, got " +
                     std::to_string(record.output_tokens);
      break;
    default:
      if (record.error.empty()) {
        record.error = end.detail;
      }
  }
}

void RequestStream::on_done(const StreamEnd& end, TimePoint at) {
  RequestRecord& record = *record_;
  if (end.error == StreamError::kNone && record.http_status == 200) {
    const bool was_unparsable = unparsable_;
    parser_.finish();
    drain_events(at);
    if (unparsable_ && !was_unparsable) {
      // What finish() completes by force is the rest of a cut stream, not a malformed event.
      unparsable_ = false;
      record.error.clear();
    }
  }
  record.t_end_ns = since_origin(at);
  record.status = classify(end);
  describe_failure(end);
  if (record.status == RequestStatus::kOk && !text_shrank_) {
    record.output_sha256 = sha256_hex(output_);
  }
  record_ = nullptr;
  ended_(*this);
}

}  // namespace sglexp
