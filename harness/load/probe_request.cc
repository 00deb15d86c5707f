// SPDX-License-Identifier: Apache-2.0
#include "harness/load/probe_request.h"

#include <algorithm>
#include <atomic>

namespace sglexp {

std::string probe_request(const std::string& url, LoadApi api, const std::string& model,
                          Nanos timeout) {
  LoadJob job;
  job.url = url;
  job.api = api;
  job.model = model;
  job.input_tokens = 8;
  job.output_tokens = 4;
  job.connect_timeout = std::min<Nanos>(job.connect_timeout, timeout);
  job.request_timeout = timeout;
  const std::atomic<bool> never{false};
  const auto result = run_load(job, never);
  if (!result.ok()) {
    return result.error().message;
  }
  const RequestRecord& record = result.value().requests.front();
  if (record.status == RequestStatus::kOk) {
    return {};
  }
  return std::string(request_status_name(record.status)) + ": " + record.error;
}

}  // namespace sglexp
