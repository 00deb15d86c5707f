// SPDX-License-Identifier: Apache-2.0
// Ownership of libcurl's handles, and the options that every transfer of this program shares.
// Private to harness/http.
#pragma once

#include <memory>

#include <curl/curl.h>

namespace sglexp {

struct CurlEasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;

struct CurlMultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
using CurlMulti = std::unique_ptr<CURLM, CurlMultiDeleter>;

struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;

// An easy handle that raises no signals, uses no proxy whatever the environment says, follows no
// redirect, and speaks http and https only. Null when memory is out.
[[nodiscard]] CurlEasy make_curl_easy();

// Appends a header line; the list is null when memory is out.
void append_header(CurlList& list, const char* line);

}  // namespace sglexp
