// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "harness/http/stream_client.h"
#include "harness/sys/clock.h"

namespace sglexp {

// StreamClient over libcurl's multi interface on our own epoll: http and https, never a proxy.
// `clock` must outlive it. kInternal: epoll or libcurl could not be set up.
[[nodiscard]] Result<std::unique_ptr<StreamClient>> make_curl_stream_client(
    const StreamClientOptions& options, const Clock& clock);

}  // namespace sglexp
