// SPDX-License-Identifier: Apache-2.0
#include "harness/http/curl_shard.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>

#include "harness/base/text.h"

namespace sglexp {

namespace {

constexpr long kReadBuffer = 64 * 1024;
constexpr int kMaxAttempts = 2;  // the first, and one replay after a dead pooled connection

StreamError error_kind(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return StreamError::kNone;
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
      return StreamError::kConnect;
    case CURLE_OPERATION_TIMEDOUT:
      return StreamError::kTimeout;  // only a connect timeout is ever set
    case CURLE_ABORTED_BY_CALLBACK:  // a second dead connection in a row
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
      return StreamError::kCut;
    default:
      return StreamError::kProtocol;
  }
}

// The number in "HTTP/1.1 200 OK", or 0 for any other header line.
int status_of(std::string_view line) {
  if (!line.starts_with("HTTP/")) {
    return 0;
  }
  const std::size_t blank = std::min(line.find(' '), line.size() - 1);
  int status = 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), status);
  return status;
}

}  // namespace

CurlShard::CurlShard(int index, int epoll_fd, Nanos connect_timeout, const Clock& clock)
    : index_(index),
      epoll_fd_(epoll_fd),
      connect_timeout_ms_(static_cast<long>(
          std::max<std::int64_t>(std::chrono::ceil<Millis>(connect_timeout).count(), 1))),
      clock_(clock) {
  append_header(headers_, "Content-Type: application/json");
  append_header(headers_, "Accept: text/event-stream");
  append_header(headers_, "Expect:");  // else large bodies wait for "100 Continue"
}

CurlShard::~CurlShard() {
  for (const auto& transfer : transfers_) {
    if (transfer->sink != nullptr) {
      curl_multi_remove_handle(multi_.get(), transfer->easy.get());
    }
  }
  transfers_.clear();
  multi_.reset();  // closes the pool through our callbacks, so the other members must still live
}

Status CurlShard::start(const StreamRequest& request, StreamSink& sink) {
  Transfer* transfer = idle_transfer();
  if (transfer == nullptr) {
    return Error{ErrorCode::kInternal, "libcurl: no memory for another transfer"};
  }
  CURL* easy = transfer->easy.get();
  if (transfer->url != request.url) {
    transfer->url = request.url;
    curl_easy_setopt(easy, CURLOPT_URL, transfer->url.c_str());
  }
  transfer->body_size = static_cast<curl_off_t>(request.body.size());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, transfer->body_size);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());  // not copied
  transfer->attempts = 0;
  transfer->sent = false;
  transfer->stopped = false;
  transfer->error_text[0] = '\0';
  if (const CURLMcode code = curl_multi_add_handle(multi_.get(), easy); code != CURLM_OK) {
    return Error{ErrorCode::kInternal, std::string("libcurl: ") + curl_multi_strerror(code)};
  }
  idle_.pop_back();
  transfer->sink = &sink;
  ++stats_.started;
  ++stats_.in_flight;
  return Ok{};
}

CurlShard::Transfer* CurlShard::idle_transfer() {
  if (multi_ == nullptr) {
    multi_.reset(curl_multi_init());
    if (multi_ == nullptr || headers_ == nullptr) {
      return nullptr;
    }
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlShard::socket_callback);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlShard::timer_callback);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
    // Unpinned, the pool shrinks with a dip in load and warm connections are thrown away.
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(kCapacity));
  }
  if (idle_.empty()) {
    auto transfer = std::make_unique<Transfer>();
    transfer->shard = this;
    if (!configure(*transfer)) {
      return nullptr;
    }
    idle_.push_back(transfer.get());
    transfers_.push_back(std::move(transfer));
  }
  return idle_.back();
}

bool CurlShard::configure(Transfer& transfer) {
  transfer.easy = make_curl_easy();
  CURL* easy = transfer.easy.get();
  if (easy == nullptr) {
    return false;
  }
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReadBuffer);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms_);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlShard::write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlShard::header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlShard::open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlShard::before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &CurlShard::progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
  return true;
}

bool CurlShard::cancel(const StreamSink& sink) {
  for (const auto& transfer : transfers_) {
    if (transfer->sink == &sink) {
      finish(*transfer, StreamEnd{StreamError::kStopped, "cancelled"});
      return true;
    }
  }
  return false;
}

void CurlShard::on_socket(int fd, int curl_events) {
  int running = 0;
  curl_multi_socket_action(multi_.get(), fd, curl_events, &running);
}

void CurlShard::on_timer() {
  int running = 0;
  timer_.reset();
  curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
}

void CurlShard::deliver_finished() {
  int left = 0;
  while (const CURLMsg* message = multi_ ? curl_multi_info_read(multi_.get(), &left) : nullptr) {
    if (message->msg != CURLMSG_DONE) {
      continue;
    }
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finish(*transfer, end_of(*transfer, code));  // `message` dies here
  }
}

StreamEnd CurlShard::end_of(const Transfer& transfer, CURLcode code) {
  if (transfer.stopped) {
    return {StreamError::kStopped, "stopped by the reader"};
  }
  if (code == CURLE_OK) {
    return {};
  }
  const char* text =
      transfer.error_text[0] != '\0' ? transfer.error_text.data() : curl_easy_strerror(code);
  return {error_kind(code), printable(text)};
}

void CurlShard::finish(Transfer& transfer, const StreamEnd& end) {
  const TimePoint at = clock_.now();
  curl_multi_remove_handle(multi_.get(), transfer.easy.get());
  StreamSink* sink = transfer.sink;
  transfer.sink = nullptr;
  idle_.push_back(&transfer);
  --stats_.in_flight;
  sink->on_done(end, at);  // last: it may start the next request on this very transfer
}

int CurlShard::socket_callback(CURL* /*easy*/, curl_socket_t fd, int what, void* user,
                               void* known) {
  auto* shard = static_cast<CurlShard*>(user);
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(shard->epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
    return 0;
  }
  epoll_event event{};
  event.events = ((what & CURL_POLL_IN) != 0 ? static_cast<unsigned>(EPOLLIN) : 0U) |
                 ((what & CURL_POLL_OUT) != 0 ? static_cast<unsigned>(EPOLLOUT) : 0U);
  event.data.u64 = static_cast<std::uint64_t>(shard->index_) << 32 | static_cast<std::uint32_t>(fd);
  const int operation = known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(shard->epoll_fd_, operation, fd, &event) != 0) {
    // The number may still be registered from, or have gone with, an earlier socket.
    const int other = operation == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(shard->epoll_fd_, other, fd, &event) != 0) {
      return -1;  // libcurl then fails the transfer
    }
  }
  curl_multi_assign(shard->multi_.get(), fd, shard);  // "known" from now on
  return 0;
}

int CurlShard::timer_callback(CURLM* /*multi*/, long timeout_ms, void* user) {
  auto* shard = static_cast<CurlShard*>(user);
  if (timeout_ms < 0) {
    shard->timer_.reset();
  } else {
    shard->timer_ = shard->clock_.now() + Millis(timeout_ms);
  }
  return 0;
}

curl_socket_t CurlShard::open_socket(void* user, curlsocktype /*purpose*/, curl_sockaddr* address) {
  ++static_cast<CurlShard*>(user)->stats_.connections_opened;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlShard::before_request(void* user, char* /*ip*/, char* /*local_ip*/, int /*port*/,
                              int /*local_port*/) {
  auto* transfer = static_cast<Transfer*>(user);
  ++transfer->attempts;
  if (transfer->attempts > 1) {
    // libcurl itself replays where a reused connection gave not one byte, up to five times.
    if (transfer->attempts > kMaxAttempts) {
      return CURL_PREREQFUNC_ABORT;
    }
    ++transfer->shard->stats_.replays;
    transfer->sent = false;
  }
  return CURL_PREREQFUNC_OK;
}

int CurlShard::progress(void* user, curl_off_t /*down_total*/, curl_off_t /*down*/,
                        curl_off_t /*up_total*/, curl_off_t up) {
  auto* transfer = static_cast<Transfer*>(user);
  if (!transfer->sent && transfer->attempts > 0 && up >= transfer->body_size &&
      transfer->sink != nullptr) {
    transfer->sent = true;
    transfer->sink->on_sent(transfer->shard->clock_.now());
  }
  return 0;
}

std::size_t CurlShard::header(char* data, std::size_t size, std::size_t count, void* user) {
  const std::size_t bytes = size * count;
  if (const int status = status_of({data, bytes}); status >= 200) {
    auto* transfer = static_cast<Transfer*>(user);
    transfer->sink->on_headers(status, transfer->shard->clock_.now());
  }
  return bytes;
}

std::size_t CurlShard::write(char* data, std::size_t size, std::size_t count, void* user) {
  auto* transfer = static_cast<Transfer*>(user);
  const TimePoint at = transfer->shard->clock_.now();
  if (!transfer->sink->on_bytes({data, size * count}, at)) {
    transfer->stopped = true;
    return 0;
  }
  return size * count;
}

}  // namespace sglexp
