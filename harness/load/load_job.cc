// SPDX-License-Identifier: Apache-2.0
#include "harness/load/load_job.h"

#include <sys/resource.h>

#include <algorithm>

#include "harness/http/curl_stream_client.h"
#include "harness/load/closed_loop.h"
#include "harness/load/load_protocol.h"
#include "harness/load/prompts.h"

namespace sglexp {

namespace {

constexpr rlim_t kOtherDescriptors = 64;  // logs, epoll, the rest of the program

Status check_job(const LoadJob& job) {
  const auto at_least = [](const char* name, int value, int least) -> Status {
    if (value < least) {
      return Error{ErrorCode::kInvalidInput, std::string("load: ") + name + " is " +
                                                 std::to_string(value) + ", must be at least " +
                                                 std::to_string(least)};
    }
    return Ok{};
  };
  SGLEXP_CHECK(at_least("concurrency", job.concurrency, 1));
  SGLEXP_CHECK(at_least("requests", job.requests, 1));
  SGLEXP_CHECK(at_least("warmup_requests", job.warmup_requests, 0));
  SGLEXP_CHECK(at_least("input_tokens", job.input_tokens, 1));
  SGLEXP_CHECK(at_least("output_tokens", job.output_tokens, 1));
  return Ok{};
}

// Raises the soft limit where it is too low: 1,024 by default, and each stream needs one.
Status reserve_descriptors(int streams) {
  const rlim_t needed = static_cast<rlim_t>(streams) + kOtherDescriptors;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
    return Ok{};
  }
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  if (limit.rlim_cur < needed || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return Error{ErrorCode::kInvalidInput,
                 "load: " + std::to_string(streams) + " streams need " + std::to_string(needed) +
                     " file descriptors, and the hard limit is " + std::to_string(limit.rlim_max) +
                     ": lower the concurrency or raise the limit (ulimit -Hn)"};
  }
  return Ok{};
}

}  // namespace

std::vector<std::string> render_bodies(const LoadJob& job) {
  std::vector<std::string> bodies;
  const int total = job.warmup_requests + job.requests;
  bodies.reserve(static_cast<std::size_t>(std::max(total, 0)));
  for (int seq = 0; seq < total; ++seq) {
    bodies.push_back(render_body(job, make_prompt(job.prompt_seed, seq, job.input_tokens)));
  }
  return bodies;
}

Result<LoadResult> run_load(const LoadJob& job, const std::atomic<bool>& stop) {
  SGLEXP_CHECK(check_job(job));
  SGLEXP_CHECK(reserve_descriptors(job.concurrency));
  const std::vector<std::string> bodies = render_bodies(job);
  const SystemClock clock;
  SGLEXP_TRY(auto client, make_curl_stream_client({job.concurrency, job.connect_timeout}, clock));
  ClosedLoop loop(job, bodies, *client, clock, stop);
  return loop.run();
}

}  // namespace sglexp
