// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/signals.h"

#include <signal.h>

#include <atomic>

namespace sglexp {

namespace {

// The handler can reach nothing but globals; lock-free atomics are async-signal-safe.
std::atomic<int> interrupt_count{0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> termination_count{
    0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);

void count(int number) {
  (number == SIGINT ? interrupt_count : termination_count).fetch_add(1, std::memory_order_relaxed);
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // no SA_RESTART: sleeps and reads return so that loops can look
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  interrupt_count = 0;
  termination_count = 0;
  install(count);
}

StopSignals::~StopSignals() {
  install(SIG_DFL);
}

int StopSignals::interrupts() const {
  return interrupt_count.load(std::memory_order_relaxed);
}

int StopSignals::terminations() const {
  return termination_count.load(std::memory_order_relaxed);
}

}  // namespace sglexp
