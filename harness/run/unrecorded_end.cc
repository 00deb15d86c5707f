// SPDX-License-Identifier: Apache-2.0
#include "harness/run/unrecorded_end.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

struct Meaning {
  const char* word;
  Outcome outcome;
  const char* what;
  const char* remedy;
};

constexpr Meaning kMeanings[] = {
    {"CANCELLED", Outcome::kCancelled, "the job was cancelled, and not by this program",
     "ask who cancelled it: sacct -j "},
    {"TIMEOUT", Outcome::kInfrastructure, "the job ran out of time",
     "raise allocation.time_limit, or do less in one job"},
    {"DEADLINE", Outcome::kInfrastructure, "the job ran out of time",
     "raise allocation.time_limit, or do less in one job"},
    {"OUT_OF_MEMORY", Outcome::kInfrastructure, "the job ran out of host memory",
     "ask for more memory, or all of it (--mem=0)"},
    {"COMPLETED", Outcome::kInfrastructure, "the job ended without a complete record",
     "check that the nodes share the run directory and read the batch log"},
};

constexpr Meaning kAnyOther = {"", Outcome::kInfrastructure, "the job did not end by itself",
                               "read the batch log; exclude the node if it failed"};

}  // namespace

Failure unrecorded_end(const JobState& state) {
  const auto* const found =
      std::find_if(std::begin(kMeanings), std::end(kMeanings),
                   [&](const Meaning& meaning) { return meaning.word == state.word; });
  const Meaning& meaning = found == std::end(kMeanings) ? kAnyOther : *found;
  return {.outcome = meaning.outcome,
          .what = meaning.what,
          .cause = fmt::format("Slurm: {} {} exit code {}:{} (by {})", state.word,
                               printable(state.reason), state.exit_code, state.exit_signal,
                               state.source),
          .remedy =
              meaning.outcome == Outcome::kCancelled ? meaning.remedy + state.id : meaning.remedy};
}

}  // namespace sglexp
