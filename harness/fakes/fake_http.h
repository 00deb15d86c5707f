// SPDX-License-Identifier: Apache-2.0
// An HttpClient whose answers a function decides; it keeps every call it was given.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/http/http_client.h"

namespace sglexp {

struct HttpCall {
  std::string method;
  std::string url;
  std::string body;
  Nanos timeout{0};
};

class FakeHttp : public HttpClient {
 public:
  using Handler = std::function<Result<HttpResponse>(const HttpCall&)>;
  explicit FakeHttp(Handler handler) : handler_(std::move(handler)) {}

  Result<HttpResponse> get(const std::string& url, Nanos timeout) override {
    return answer({"GET", url, {}, timeout});
  }
  Result<HttpResponse> post(const std::string& url, std::string_view body,
                            std::string_view /*content_type*/, Nanos timeout) override {
    return answer({"POST", url, std::string(body), timeout});
  }
  [[nodiscard]] const std::vector<HttpCall>& calls() const { return calls_; }

 private:
  Result<HttpResponse> answer(HttpCall call) {
    calls_.push_back(call);
    return handler_(call);
  }

  Handler handler_;
  std::vector<HttpCall> calls_;
};

}  // namespace sglexp
