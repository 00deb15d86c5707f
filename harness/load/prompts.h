// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sglexp {

// `words` common English words from a stream of their own for each `seq`: prompts of one job differ
// from their first word on, so a prefix cache finds nothing to share. Common short words are about
// one token each in the usual tokenizers; the server's own count is what gets recorded.
[[nodiscard]] std::string make_prompt(std::uint64_t seed, int seq, int words);

}  // namespace sglexp
