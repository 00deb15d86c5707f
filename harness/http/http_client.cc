// SPDX-License-Identifier: Apache-2.0
#include "harness/http/http_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "harness/base/text.h"
#include "harness/http/curl_handle.h"

namespace sglexp {

namespace {

constexpr std::size_t kMaxBody = std::size_t{16} << 20;

struct Body {
  std::string bytes;
  bool too_large = false;
};

std::size_t append_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto* body = static_cast<Body*>(user);
  const std::size_t bytes = size * count;
  if (body->bytes.size() + bytes > kMaxBody) {
    body->too_large = true;
    return 0;
  }
  body->bytes.append(data, bytes);
  return bytes;
}

ErrorCode error_code(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorCode::kTimedOut;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return ErrorCode::kInvalidInput;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
      return ErrorCode::kInternal;
    default:
      return ErrorCode::kUnavailable;
  }
}

long milliseconds(Nanos timeout) {
  const auto rounded_up = std::chrono::ceil<Millis>(timeout).count();
  return static_cast<long>(std::clamp<std::int64_t>(rounded_up, 1, 3'600'000));
}

class CurlHttpClient : public HttpClient {
 public:
  CurlHttpClient() : easy_(make_curl_easy()) {
    if (easy_ == nullptr) {
      return;
    }
    curl_easy_setopt(easy_.get(), CURLOPT_WRITEFUNCTION, &append_body);
    curl_easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, error_text_.data());
    // A fresh connection each time: a health answer must also prove that the server accepts one,
    // and a pooled connection to a server that was replaced would prove nothing.
    curl_easy_setopt(easy_.get(), CURLOPT_FORBID_REUSE, 1L);
  }

  Result<HttpResponse> get(const std::string& url, Nanos timeout) override {
    if (easy_ == nullptr) {
      return Error{ErrorCode::kInternal, "libcurl could not be initialised"};
    }
    curl_easy_setopt(easy_.get(), CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, nullptr);
    return perform("GET", url, timeout);
  }

  Result<HttpResponse> post(const std::string& url, std::string_view body,
                            std::string_view content_type, Nanos timeout) override {
    CurlList headers;
    append_header(headers, ("Content-Type: " + std::string(content_type)).c_str());
    append_header(headers, "Expect:");  // else libcurl waits up to 1 s for "100 Continue"
    if (easy_ == nullptr || headers == nullptr) {
      return Error{ErrorCode::kInternal, "libcurl could not be initialised"};
    }
    curl_easy_setopt(easy_.get(), CURLOPT_POST, 1L);
    curl_easy_setopt(easy_.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy_.get(), CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers.get());
    auto response = perform("POST", url, timeout);
    curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, nullptr);
    return response;
  }

 private:
  Result<HttpResponse> perform(const char* method, const std::string& url, Nanos timeout) {
    Body body;
    error_text_[0] = '\0';
    curl_easy_setopt(easy_.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy_.get(), CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(easy_.get(), CURLOPT_CONNECTTIMEOUT_MS, milliseconds(timeout));
    curl_easy_setopt(easy_.get(), CURLOPT_TIMEOUT_MS, milliseconds(timeout));
    const CURLcode code = curl_easy_perform(easy_.get());
    const std::string what = std::string(method) + " " + printable(url);
    if (body.too_large) {
      return Error{ErrorCode::kUnavailable, what + ": the answer is larger than 16 MiB"};
    }
    if (code != CURLE_OK) {
      const char* detail = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
      return Error{error_code(code), what + ": " + printable(detail)};
    }
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    return HttpResponse{static_cast<int>(status), std::move(body.bytes)};
  }

  CurlEasy easy_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace

std::unique_ptr<HttpClient> make_curl_client() {
  return std::make_unique<CurlHttpClient>();
}

}  // namespace sglexp
