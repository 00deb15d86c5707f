// SPDX-License-Identifier: Apache-2.0
// What the logs of SGLang, its router, ROCm, RCCL, PyTorch and Slurm say when something breaks: the
// words to look for, what they mean and what to do. Wordings checked against SGLang 0.4.6 to 0.5.18,
// ROCr, RCCL 2.21 and uvicorn.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace sglexp {

// How near a line is to the origin of a failure. A lower rank explains more and wins over an earlier
// line of a higher one: a child's death is always reported, its reason stands elsewhere.
enum class CauseRank {
  kRoot,         // says what went wrong
  kSymptom,      // says that something did, at the place where it did
  kStall,        // a wait that is ordinary unless it never ends
  kConsequence,  // follows from a failure elsewhere
  kHarmless,     // worth counting, never a reason to stop
};

struct LogPattern {
  std::string_view id;  // stable: stored with results
  CauseRank rank = CauseRank::kRoot;
  std::array<std::string_view, 5> any_of;  // '*' matches anything; unused ones are empty
  std::string_view cause;
  std::string_view remedy;
  bool opens_traceback = false;  // the telling line is the last one of the traceback that follows
};

[[nodiscard]] std::span<const LogPattern> log_patterns();

// The first pattern that the line matches, or null. The line must be free of terminal colours.
[[nodiscard]] const LogPattern* match_log_line(std::string_view line);

}  // namespace sglexp
