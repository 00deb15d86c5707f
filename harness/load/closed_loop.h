// SPDX-License-Identifier: Apache-2.0
// Keeps a fixed number of streams in flight: when one ends, the next begins at once.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "harness/http/stream_client.h"
#include "harness/load/client_meter.h"
#include "harness/load/load_job.h"
#include "harness/load/request_stream.h"

namespace sglexp {

class ClosedLoop {
 public:
  // `bodies` are render_bodies(job). All arguments must outlive the loop.
  ClosedLoop(const LoadJob& job, const std::vector<std::string>& bodies, StreamClient& client,
             const Clock& clock, const std::atomic<bool>& stop);

  // Warm-up to its end, then the measured requests, all slots starting at once. One use.
  [[nodiscard]] Result<LoadResult> run();

 private:
  [[nodiscard]] Status run_phase(int first, int end);
  [[nodiscard]] Status start_next(RequestStream& slot);
  void on_ended(RequestStream& slot);
  void sweep(TimePoint now);
  void stop_all();
  void set_window();

  const LoadJob& job_;
  const std::vector<std::string>& bodies_;
  StreamClient& client_;
  const Clock& clock_;
  const std::atomic<bool>& stop_;
  std::string url_;
  StreamContext context_;
  EventDecoder decoder_;
  ClientMeter meter_;
  LoadResult result_;
  std::vector<std::unique_ptr<RequestStream>> slots_;
  int next_ = 0;  // seq of the next request to start
  int phase_end_ = 0;
  int in_flight_ = 0;
  int target_ = 0;  // streams in flight that this phase aims at
  TimePoint next_sweep_{};
  Status broken_ = Ok{};  // a start() that failed inside a callback
};

}  // namespace sglexp
