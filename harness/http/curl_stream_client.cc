// SPDX-License-Identifier: Apache-2.0
#include "harness/http/curl_stream_client.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "harness/http/curl_shard.h"

namespace sglexp {

namespace {

constexpr int kEventsPerWait = 512;

int curl_events(std::uint32_t epoll_events) {
  int events = 0;
  if ((epoll_events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    events |= CURL_CSELECT_IN;  // a read is what tells libcurl about errors and hang-ups
  }
  if ((epoll_events & EPOLLOUT) != 0) {
    events |= CURL_CSELECT_OUT;
  }
  return events;
}

class CurlStreamClient : public StreamClient {
 public:
  CurlStreamClient(const StreamClientOptions& options, int epoll_fd, const Clock& clock)
      : epoll_fd_(epoll_fd), clock_(clock) {
    const int count =
        std::max(1, (options.max_streams + CurlShard::kCapacity - 1) / CurlShard::kCapacity);
    for (int i = 0; i < count; ++i) {
      shards_.push_back(std::make_unique<CurlShard>(i, epoll_fd_, options.connect_timeout, clock_));
    }
  }
  ~CurlStreamClient() override {
    shards_.clear();  // libcurl takes its sockets out of the epoll set first
    ::close(epoll_fd_);
  }
  CurlStreamClient(const CurlStreamClient&) = delete;
  CurlStreamClient& operator=(const CurlStreamClient&) = delete;

  Status start(const StreamRequest& request, StreamSink& sink) override {
    // Least busy first. In a closed loop that is the shard whose stream just ended, and which
    // therefore holds a warm connection.
    auto least = std::min_element(shards_.begin(), shards_.end(), [](const auto& a, const auto& b) {
      return a->stats().in_flight < b->stats().in_flight;
    });
    return (*least)->start(request, sink);
  }

  void cancel(StreamSink& sink) override {
    for (const auto& shard : shards_) {
      if (shard->cancel(sink)) {
        return;
      }
    }
  }

  Result<StreamRound> run_once(Nanos max_wait) override {
    const int ready = ::epoll_wait(epoll_fd_, events_.data(), kEventsPerWait, wait_ms(max_wait));
    const TimePoint begin = clock_.now();
    if (ready < 0 && errno != EINTR) {
      return Error{ErrorCode::kInternal, std::string("epoll_wait: ") + std::strerror(errno)};
    }
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events_[static_cast<std::size_t>(i)];
      const auto shard = static_cast<std::size_t>(event.data.u64 >> 32);
      shards_[shard]->on_socket(static_cast<int>(event.data.u64 & 0xffffffffU),
                                curl_events(event.events));
    }
    run_timers();
    for (const auto& shard : shards_) {
      shard->deliver_finished();
    }
    return StreamRound{std::max(ready, 0), clock_.now() - begin};
  }

  StreamStats stats() const override {
    StreamStats sum;
    for (const auto& shard : shards_) {
      sum.in_flight += shard->stats().in_flight;
      sum.started += shard->stats().started;
      sum.connections_opened += shard->stats().connections_opened;
      sum.replays += shard->stats().replays;
    }
    return sum;
  }

 private:
  int wait_ms(Nanos max_wait) const {
    Nanos wait = std::clamp<Nanos>(max_wait, Nanos(0), Seconds(3600));
    const TimePoint now = clock_.now();
    for (const auto& shard : shards_) {
      if (const auto timer = shard->timer()) {
        wait = std::clamp<Nanos>(*timer - now, Nanos(0), wait);
      }
    }
    return static_cast<int>(std::chrono::ceil<Millis>(wait).count());
  }

  void run_timers() {
    const TimePoint now = clock_.now();
    for (const auto& shard : shards_) {
      if (const auto timer = shard->timer(); timer && *timer <= now) {
        shard->on_timer();
      }
    }
  }

  int epoll_fd_;
  const Clock& clock_;
  std::vector<std::unique_ptr<CurlShard>> shards_;
  std::array<epoll_event, kEventsPerWait> events_{};
};

}  // namespace

Result<std::unique_ptr<StreamClient>> make_curl_stream_client(const StreamClientOptions& options,
                                                              const Clock& clock) {
  const int epoll_fd = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) {
    return Error{ErrorCode::kInternal, std::string("epoll_create1: ") + std::strerror(errno)};
  }
  return std::unique_ptr<StreamClient>(
      std::make_unique<CurlStreamClient>(options, epoll_fd, clock));
}

}  // namespace sglexp
