// SPDX-License-Identifier: Apache-2.0
// The SQL of each migration. Timestamps are UTC text (ISO-8601), durations integer microseconds,
// words those of the *_name functions in harness/record. NULL means not measured or nothing to say.
#pragma once

#include <string_view>

namespace sglexp {

extern const std::string_view kSchemaV1;

}  // namespace sglexp
