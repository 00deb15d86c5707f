// SPDX-License-Identifier: Apache-2.0
// Request records on disk: JSON lines, one request a line after a first line that says how many.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/request.h"

namespace sglexp {

[[nodiscard]] std::string requests_to_jsonl(const std::vector<RequestRecord>& records);
// kInvalidInput: not such a text, or cut short; the message names the line. Reading back what
// requests_to_jsonl wrote gives the same records.
[[nodiscard]] Result<std::vector<RequestRecord>> parse_requests_jsonl(std::string_view text);

// Appears whole or not at all.
[[nodiscard]] Status write_requests_file(const std::string& path,
                                         const std::vector<RequestRecord>& records);
[[nodiscard]] Result<std::vector<RequestRecord>> read_requests_file(const std::string& path);

}  // namespace sglexp
