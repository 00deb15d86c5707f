// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/load/load_job.h"

namespace sglexp {

// One small streamed request to the base URL, to prove that tokens really come out. Empty on
// success, else what went wrong in one line. Blocks for at most `timeout`.
[[nodiscard]] std::string probe_request(const std::string& url, LoadApi api,
                                        const std::string& model, Nanos timeout);

}  // namespace sglexp
