// SPDX-License-Identifier: Apache-2.0
// Offset between two hosts' wall clocks, measured over TCP: the batch host answers its time, the
// node computes (server - midpoint of send and receive) and keeps the exchange with the shortest
// round trip, as NTP does (RFC 5905, section 8).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace sglexp {

// Answers until destroyed. Serves one node at a time, which is enough for eight short exchanges.
class TimeServer {
 public:
  // Listens on an ephemeral port of `address`.
  [[nodiscard]] static Result<std::unique_ptr<TimeServer>> start(const std::string& address);
  ~TimeServer();
  TimeServer(const TimeServer&) = delete;
  TimeServer& operator=(const TimeServer&) = delete;
  [[nodiscard]] int port() const { return port_; }

 private:
  TimeServer(int fd, int port);
  void serve();
  int fd_;
  int port_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

struct ClockOffset {
  Nanos offset{0};       // server's clock minus ours
  Nanos uncertainty{0};  // half the shortest round trip
};
[[nodiscard]] Result<ClockOffset> measure_clock_offset(const std::string& address, int port);

}  // namespace sglexp
