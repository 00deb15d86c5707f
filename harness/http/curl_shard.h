// SPDX-License-Identifier: Apache-2.0
// One libcurl multi handle with its transfers. Private to harness/http.
//
// A multi handle looks at all its connections whenever a transfer starts, so its delivery lag grows
// with their number: measured with libcurl 7.88, several handles of 256 streams each cut the p99
// lag of 1,024 streams two- to fourfold against one handle. Hence shards.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <curl/curl.h>

#include "harness/base/result.h"
#include "harness/http/curl_handle.h"
#include "harness/http/stream_client.h"
#include "harness/sys/clock.h"

namespace sglexp {

class CurlShard {
 public:
  static constexpr int kCapacity = 256;

  // Registers its sockets with `epoll_fd` under data.u64 = index << 32 | fd.
  CurlShard(int index, int epoll_fd, Nanos connect_timeout, const Clock& clock);
  ~CurlShard();
  CurlShard(const CurlShard&) = delete;
  CurlShard& operator=(const CurlShard&) = delete;

  [[nodiscard]] Status start(const StreamRequest& request, StreamSink& sink);
  // False if the sink has no transfer here.
  bool cancel(const StreamSink& sink);
  void on_socket(int fd, int curl_events);
  void on_timer();
  // Tells the sinks of finished transfers. They may start new ones from inside.
  void deliver_finished();
  [[nodiscard]] std::optional<TimePoint> timer() const { return timer_; }
  [[nodiscard]] const StreamStats& stats() const { return stats_; }

 private:
  struct Transfer {
    CurlShard* shard = nullptr;
    CurlEasy easy;
    StreamSink* sink = nullptr;
    std::string url;
    curl_off_t body_size = 0;
    int attempts = 0;  // times the request was put on a connection
    bool sent = false;
    bool stopped = false;  // the sink returned false
    std::array<char, CURL_ERROR_SIZE> error_text{};
  };

  [[nodiscard]] Transfer* idle_transfer();
  [[nodiscard]] bool configure(Transfer& transfer);
  void finish(Transfer& transfer, const StreamEnd& end);
  [[nodiscard]] static StreamEnd end_of(const Transfer& transfer, CURLcode code);

  static int socket_callback(CURL* easy, curl_socket_t fd, int what, void* user, void* known);
  static int timer_callback(CURLM* multi, long timeout_ms, void* user);
  static curl_socket_t open_socket(void* user, curlsocktype purpose, curl_sockaddr* address);
  static int before_request(void* user, char* ip, char* local_ip, int port, int local_port);
  static int progress(void* user, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                      curl_off_t up);
  static std::size_t header(char* data, std::size_t size, std::size_t count, void* user);
  static std::size_t write(char* data, std::size_t size, std::size_t count, void* user);

  int index_;
  int epoll_fd_;
  long connect_timeout_ms_;
  const Clock& clock_;
  CurlList headers_;
  CurlMulti multi_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // all, busy and idle
  std::vector<Transfer*> idle_;
  std::optional<TimePoint> timer_;
  StreamStats stats_;
};

}  // namespace sglexp
