// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/clock_exchange.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace sglexp {

namespace {

constexpr int kExchanges = 8;
constexpr int kTimeoutMs = 3000;

std::int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList numeric_address(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int rc = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  return {rc == 0 ? found : nullptr, &freeaddrinfo};
}

Error socket_error(const std::string& what) {
  return {ErrorCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno))};
}

bool readable(int fd, int timeout_ms) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, timeout_ms) == 1;
}

// One 8-byte message each way, host byte order: both ends are this program on like machines.
std::optional<std::int64_t> receive_stamp(int fd) {
  std::int64_t stamp = 0;
  const bool whole =
      readable(fd, kTimeoutMs) && recv(fd, &stamp, sizeof stamp, MSG_WAITALL) == sizeof stamp;
  return whole ? std::optional(stamp) : std::nullopt;
}

bool send_stamp(int fd, std::int64_t stamp) {
  return send(fd, &stamp, sizeof stamp, MSG_NOSIGNAL) == sizeof stamp;
}

}  // namespace

TimeServer::TimeServer(int fd, int port) : fd_(fd), port_(port), thread_([this] { serve(); }) {}

TimeServer::~TimeServer() {
  stop_ = true;
  thread_.join();
  close(fd_);
}

Result<std::unique_ptr<TimeServer>> TimeServer::start(const std::string& address) {
  const AddressList where = numeric_address(address, 0);
  if (!where) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("clock server: '{}' is not an address", address)};
  }
  Socket listener(socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (listener.get() < 0 || bind(listener.get(), where->ai_addr, where->ai_addrlen) != 0 ||
      listen(listener.get(), 1024) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    return socket_error("clock server on " + address);
  }
  const in_port_t port = bound.ss_family == AF_INET6
                             ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                             : reinterpret_cast<sockaddr_in*>(&bound)->sin_port;
  return std::unique_ptr<TimeServer>(new TimeServer(listener.release(), ntohs(port)));
}

void TimeServer::serve() {
  while (!stop_) {
    if (!readable(fd_, 50)) {
      continue;
    }
    const Socket client(accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
    for (int i = 0; i < kExchanges && client.get() >= 0; ++i) {
      if (!receive_stamp(client.get()) || !send_stamp(client.get(), wall_ns())) {
        break;
      }
    }
  }
}

Result<ClockOffset> measure_clock_offset(const std::string& address, int port) {
  const AddressList where = numeric_address(address, port);
  if (!where) {
    return Error{ErrorCode::kInvalidInput, fmt::format("'{}' is not an address", address)};
  }
  const Socket server(socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Bounds connect() too: an unreachable host must not hold the probe for minutes.
  const timeval limit{.tv_sec = kTimeoutMs / 1000, .tv_usec = 0};
  const int on = 1;
  setsockopt(server.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  setsockopt(server.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (server.get() < 0 || connect(server.get(), where->ai_addr, where->ai_addrlen) != 0) {
    return socket_error(fmt::format("connecting to {}:{}", address, port));
  }
  std::optional<ClockOffset> best;
  for (int i = 0; i < kExchanges; ++i) {
    const std::int64_t sent = wall_ns();
    if (!send_stamp(server.get(), sent)) {
      return socket_error("clock exchange");
    }
    const auto theirs = receive_stamp(server.get());
    const std::int64_t received = wall_ns();
    if (!theirs) {
      return Error{ErrorCode::kTimedOut,
                   fmt::format("{}:{} did not answer its time", address, port)};
    }
    const Nanos half((received - sent) / 2);
    if (!best || half < best->uncertainty) {
      best = ClockOffset{.offset = Nanos(*theirs - sent) - half, .uncertainty = half};
    }
  }
  return *best;
}

}  // namespace sglexp
