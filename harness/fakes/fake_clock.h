// SPDX-License-Identifier: Apache-2.0
// A clock that moves only when somebody sleeps on it or advance()s it: half an hour of waiting
// tests in microseconds.
#pragma once

#include <functional>
#include <utility>

#include "harness/sys/clock.h"

namespace sglexp {

class FakeClock : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  [[nodiscard]] std::chrono::system_clock::time_point wall_now() const override {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(now_.time_since_epoch()));
  }
  void sleep_for(Nanos duration) override {
    slept_ += duration;
    ++sleeps_;
    advance(duration);
  }
  void advance(Nanos duration) {
    now_ += duration;
    if (on_advance_) {
      on_advance_(elapsed());
    }
  }
  // Called after every move with the time since the start: scripts "at 30 s the process dies".
  void on_advance(std::function<void(Nanos)> callback) { on_advance_ = std::move(callback); }

  [[nodiscard]] Nanos elapsed() const { return now_ - kStart; }
  [[nodiscard]] Nanos slept() const { return slept_; }
  [[nodiscard]] int sleeps() const { return sleeps_; }

 private:
  static constexpr TimePoint kStart = TimePoint(Seconds(1'000'000));
  TimePoint now_ = kStart;
  Nanos slept_{0};
  int sleeps_ = 0;
  std::function<void(Nanos)> on_advance_;
};

}  // namespace sglexp
