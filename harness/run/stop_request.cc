// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stop_request.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace sglexp {

bool StopRequest::requested() {
  if (watch_input_ && !input_ended_) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) > 0) {
      std::array<char, 256> ignored{};
      const ssize_t n = read(STDIN_FILENO, ignored.data(), ignored.size());
      input_ended_ = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    }
  }
  return input_ended_ || signals_.total() > 0;
}

}  // namespace sglexp
