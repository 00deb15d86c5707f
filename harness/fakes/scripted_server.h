// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server on a loopback port that sends exactly the bytes a test asks for. It knows no
// protocol beyond finding the end of a request, so that a test can be as rude as a real network.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sglexp {

struct ScriptedRequest {
  int number = 0;      // over all connections, from 0
  int connection = 0;  // which connection it came on, from 0
  std::string method;
  std::string path;
  std::string head;
  std::string body;
};

struct ScriptedAnswer {
  enum class After { kKeepOpen, kClose, kReset };
  std::vector<std::string> writes;  // each one send()
  After after = After::kKeepOpen;
};

// A complete answer with a length.
inline ScriptedAnswer plain_answer(int status, const std::string& body) {
  return {{"HTTP/1.1 " + std::to_string(status) +
           " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body}};
}

inline std::string http_chunk(std::string_view bytes) {
  char size[20];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  return std::string(size, end) + "\r\n" + std::string(bytes) + "\r\n";
}

inline const std::string kEventStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

// Each piece in a chunk and a send of its own; `complete` adds the last chunk.
inline ScriptedAnswer stream_answer(const std::vector<std::string>& pieces, bool complete = true) {
  ScriptedAnswer answer{{kEventStreamHead}};
  for (const std::string& piece : pieces) {
    answer.writes.push_back(http_chunk(piece));
  }
  if (complete) {
    answer.writes.push_back("0\r\n\r\n");
  } else {
    answer.after = ScriptedAnswer::After::kClose;
  }
  return answer;
}

class ScriptedServer {
 public:
  using Handler = std::function<ScriptedAnswer(const ScriptedRequest&)>;

  // `handler` runs on the server's thread.
  explicit ScriptedServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 512) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      std::abort();  // a test machine without loopback
    }
    port_ = ntohs(address.sin_port);
    wake_ = ::eventfd(0, EFD_CLOEXEC);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_, &one, sizeof one));
    thread_.join();
    ::close(listener_);
    ::close(wake_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int port() const { return port_; }
  // Copies of all requests so far.
  [[nodiscard]] std::vector<ScriptedRequest> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  struct Connection {
    int fd = -1;
    int number = 0;
    std::string in;
  };

  void serve() {
    while (true) {
      std::vector<pollfd> fds{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const Connection& connection : connections_) {
        fds.push_back({connection.fd, POLLIN, 0});
      }
      ::poll(fds.data(), fds.size(), -1);
      if (fds[0].revents != 0) {
        break;
      }
      for (std::size_t i = 2; i < fds.size(); ++i) {
        if (fds[i].revents != 0) {
          receive(connections_[i - 2]);
        }
      }
      std::erase_if(connections_, [](const Connection& c) { return c.fd < 0; });
      if (fds[1].revents != 0) {
        accept_one();
      }
    }
    for (const Connection& connection : connections_) {
      ::close(connection.fd);
    }
  }

  void accept_one() {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_.push_back({fd, accepted_++, {}});
  }

  void receive(Connection& connection) {
    char bytes[65536];
    const ssize_t got = ::recv(connection.fd, bytes, sizeof bytes, 0);
    if (got <= 0) {
      end(connection, false);
      return;
    }
    connection.in.append(bytes, static_cast<std::size_t>(got));
    while (connection.fd >= 0) {
      ScriptedRequest request;
      if (!take_request(connection, request)) {
        return;
      }
      answer(connection, request);
    }
  }

  bool take_request(Connection& connection, ScriptedRequest& request) {
    const std::size_t head_end = connection.in.find("\r\n\r\n");
    if (head_end == std::string::npos) {
      return false;
    }
    request.head = connection.in.substr(0, head_end);
    std::size_t length = 0;
    if (const std::size_t at = request.head.find("Content-Length: "); at != std::string::npos) {
      length = std::strtoul(request.head.c_str() + at + 16, nullptr, 10);
    }
    if (connection.in.size() < head_end + 4 + length) {
      return false;
    }
    request.body = connection.in.substr(head_end + 4, length);
    connection.in.erase(0, head_end + 4 + length);
    const std::size_t blank = request.head.find(' ');
    request.method = request.head.substr(0, blank);
    request.path = request.head.substr(blank + 1, request.head.find(' ', blank + 1) - blank - 1);
    request.connection = connection.number;
    const std::scoped_lock lock(mutex_);
    request.number = static_cast<int>(requests_.size());
    requests_.push_back(request);
    return true;
  }

  void answer(Connection& connection, const ScriptedRequest& request) {
    const ScriptedAnswer answer = handler_(request);
    for (const std::string& bytes : answer.writes) {
      if (::send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) {
        break;  // the client has left, which may be what the test is about
      }
    }
    if (answer.after != ScriptedAnswer::After::kKeepOpen) {
      end(connection, answer.after == ScriptedAnswer::After::kReset);
    }
  }

  static void end(Connection& connection, bool reset) {
    if (reset) {
      const linger at_once{1, 0};
      ::setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    ::close(connection.fd);
    connection.fd = -1;
  }

  Handler handler_;
  int listener_ = -1;
  int wake_ = -1;
  int port_ = 0;
  int accepted_ = 0;
  std::vector<Connection> connections_;  // server's thread only
  mutable std::mutex mutex_;
  std::vector<ScriptedRequest> requests_;
  std::thread thread_;
};

}  // namespace sglexp
