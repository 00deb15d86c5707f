// SPDX-License-Identifier: Apache-2.0
// Plain requests for health, metrics and admin calls. Not the load path.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace sglexp {

struct HttpResponse {
  int status = 0;
  std::string body;  // at most 16 MiB
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Any HTTP status is a value. kUnavailable: connection refused or reset. kTimedOut: no answer in
  // time.
  [[nodiscard]] virtual Result<HttpResponse> get(const std::string& url, Nanos timeout) = 0;
  [[nodiscard]] virtual Result<HttpResponse> post(const std::string& url, std::string_view body,
                                                  std::string_view content_type, Nanos timeout) = 0;
};

// libcurl; one per thread. Never uses a proxy, whatever the environment says: all targets are nodes
// of the job.
[[nodiscard]] std::unique_ptr<HttpClient> make_curl_client();

}  // namespace sglexp
