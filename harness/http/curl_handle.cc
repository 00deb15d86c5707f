// SPDX-License-Identifier: Apache-2.0
#include "harness/http/curl_handle.h"

namespace sglexp {

namespace {

// libcurl wants one initialisation before the first handle of any thread; a function-local static
// gives exactly that. There is no cleanup: other code in the process may still use the library.
bool curl_ready() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

}  // namespace

CurlEasy make_curl_easy() {
  if (!curl_ready()) {
    return nullptr;
  }
  CurlEasy easy(curl_easy_init());
  if (easy == nullptr) {
    return nullptr;
  }
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  // An empty proxy string overrides http_proxy and all_proxy; "*" covers every host besides.
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy.get(), CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy.get(), CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy.get(), CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_USERAGENT, "sglexp");
  return easy;
}

void append_header(CurlList& list, const char* line) {
  curl_slist* longer = curl_slist_append(list.get(), line);
  if (longer == nullptr) {
    list.reset();
    return;
  }
  if (list.get() != longer) {
    static_cast<void>(list.release());
    list.reset(longer);
  }
}

}  // namespace sglexp
