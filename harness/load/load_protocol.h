// SPDX-License-Identifier: Apache-2.0
// How each API is asked for a streamed, greedy answer of an exact length.
#pragma once

#include <string>
#include <string_view>

#include "harness/load/load_job.h"

namespace sglexp {

// "/generate", "/v1/completions", "/v1/chat/completions".
[[nodiscard]] std::string_view api_path(LoadApi api);
// The JSON body. The prompt is one text string everywhere: routers refuse token ids and lists.
[[nodiscard]] std::string render_body(const LoadJob& job, std::string_view prompt);

}  // namespace sglexp
