// SPDX-License-Identifier: Apache-2.0
// The token events of one request as a compact BLOB, about 3 bytes an event: a format byte, then
// for each event two LEB128 varints: microseconds since the event before it (for the first: since
// `base_ns`) and tokens that it carried. Moments are rounded down to microseconds one by one, so
// the error stays under 1 us however long the stream.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/request.h"

namespace sglexp {

// `base_ns`: the request's t_first_ns, which is stored beside the blob. std::nullopt where moments
// or token counts run backwards, which this format does not hold.
[[nodiscard]] std::optional<std::string> encode_itl(std::span<const TokenEvent> events,
                                                    std::int64_t base_ns);

// kInvalidInput: cut short, an unknown format byte, or numbers out of range.
[[nodiscard]] Result<std::vector<TokenEvent>> decode_itl(std::string_view blob,
                                                         std::int64_t base_ns);

}  // namespace sglexp
