// SPDX-License-Identifier: Apache-2.0
#include "harness/load/closed_loop.h"

#include <algorithm>

#include "harness/load/load_protocol.h"
#include "harness/load/metrics.h"

namespace sglexp {

namespace {

// How late a timeout may be noticed, and how long a stop request may go unheard.
constexpr Nanos kSweepPeriod = Millis(50);

}  // namespace

ClosedLoop::ClosedLoop(const LoadJob& job, const std::vector<std::string>& bodies,
                       StreamClient& client, const Clock& clock, const std::atomic<bool>& stop)
    : job_(job),
      bodies_(bodies),
      client_(client),
      clock_(clock),
      stop_(stop),
      url_(job.url + std::string(api_path(job.api))),
      decoder_(job.api),
      meter_(clock) {
  context_.origin = clock.now();
  context_.api = job.api;
  context_.asked_tokens = job.output_tokens;
  result_.requests.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    RequestRecord& record = result_.requests[i];
    record.seq = static_cast<std::int32_t>(i);
    record.warmup = record.seq < job.warmup_requests;
    record.status = RequestStatus::kCancelled;  // until it is started
  }
}

Result<LoadResult> ClosedLoop::run() {
  const int total = static_cast<int>(bodies_.size());
  SGLEXP_CHECK(run_phase(0, job_.warmup_requests));
  context_.token_events = context_.coalesced_events = 0;
  result_.peak_in_flight = 0;
  result_.steady_begin_ns = result_.steady_end_ns = 0;
  meter_.begin();
  SGLEXP_CHECK(run_phase(job_.warmup_requests, total));
  result_.client = meter_.end();
  if (context_.token_events > 0) {
    result_.client.coalesced_share =
        static_cast<double>(context_.coalesced_events) / static_cast<double>(context_.token_events);
  }
  result_.client.invalid_reason =
      client_invalid_reason(result_.client, median_itl_ns(result_.requests).value_or(0));
  set_window();
  return std::move(result_);
}

Status ClosedLoop::run_phase(int first, int end) {
  next_ = first;
  phase_end_ = end;
  target_ = std::min(job_.concurrency, end - first);
  while (static_cast<int>(slots_.size()) < target_) {
    slots_.push_back(std::make_unique<RequestStream>(
        context_, decoder_, [this](RequestStream& slot) { on_ended(slot); }));
  }
  for (int i = 0; i < target_ && !stop_; ++i) {
    SGLEXP_CHECK(start_next(*slots_[static_cast<std::size_t>(i)]));
  }
  while (in_flight_ > 0) {
    ++context_.round;
    SGLEXP_TRY(const StreamRound round, client_.run_once(kSweepPeriod));
    if (round.ready > 0) {
      meter_.add_round(round.busy);
    }
    SGLEXP_CHECK(broken_);
    if (stop_) {
      stop_all();
    } else {
      sweep(clock_.now());
    }
  }
  return Ok{};
}

Status ClosedLoop::start_next(RequestStream& slot) {
  const auto seq = static_cast<std::size_t>(next_++);
  const TimePoint now = clock_.now();
  slot.begin(result_.requests[seq], now);
  ++in_flight_;
  result_.peak_in_flight = std::max(result_.peak_in_flight, in_flight_);
  if (in_flight_ == target_ && result_.steady_begin_ns == 0) {
    result_.steady_begin_ns = (now - context_.origin).count();
  }
  return client_.start({url_, bodies_[seq]}, slot);
}

// Runs inside StreamClient::run_once, so an error has to wait for the loop.
void ClosedLoop::on_ended(RequestStream& slot) {
  --in_flight_;
  if (next_ < phase_end_ && !stop_ && broken_.ok()) {
    broken_ = start_next(slot);
  } else if (result_.steady_end_ns == 0) {
    result_.steady_end_ns = (clock_.now() - context_.origin).count();
  }
}

void ClosedLoop::sweep(TimePoint now) {
  if (now < next_sweep_) {
    return;
  }
  next_sweep_ = now + kSweepPeriod;
  for (const auto& slot : slots_) {
    if (!slot->active()) {
      continue;
    }
    if (auto why = slot->overdue(job_, now)) {
      slot->mark_stopped(RequestStatus::kTimeout, std::move(*why));
      client_.cancel(*slot);
    }
  }
}

void ClosedLoop::stop_all() {
  for (const auto& slot : slots_) {
    if (slot->active()) {
      slot->mark_stopped(RequestStatus::kCancelled, "stopped by sglexp");
      client_.cancel(*slot);
    }
  }
}

void ClosedLoop::set_window() {
  std::int64_t begin = -1;
  std::int64_t end = -1;
  for (const RequestRecord& record : result_.requests) {
    if (record.warmup || record.t_start_ns < 0) {
      continue;
    }
    begin = begin < 0 ? record.t_start_ns : std::min(begin, record.t_start_ns);
    end = std::max({end, record.t_last_ns, begin});
  }
  result_.window_begin_ns = std::max<std::int64_t>(begin, 0);
  result_.window_end_ns = std::max<std::int64_t>(end, 0);
}

}  // namespace sglexp
