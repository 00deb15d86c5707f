// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/job_state.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/text.h"

namespace sglexp {
namespace {

// REVOKED, GETENV_FAILED, EXPEDITING, LAUNCH_FAILED and words of later versions are left out: they
// neither prove an end nor a start.
constexpr std::array<std::pair<std::string_view, JobPhase>, 23> kPhases{{
    {"PENDING", JobPhase::kPending},       {"CONFIGURING", JobPhase::kPending},
    {"REQUEUED", JobPhase::kPending},      {"REQUEUE_FED", JobPhase::kPending},
    {"REQUEUE_HOLD", JobPhase::kPending},  {"SPECIAL_EXIT", JobPhase::kPending},
    {"RESV_DEL_HOLD", JobPhase::kPending}, {"RUNNING", JobPhase::kRunning},
    {"SUSPENDED", JobPhase::kRunning},     {"STOPPED", JobPhase::kRunning},
    {"RESIZING", JobPhase::kRunning},      {"SIGNALING", JobPhase::kRunning},
    {"COMPLETING", JobPhase::kCompleting}, {"STAGE_OUT", JobPhase::kCompleting},
    {"COMPLETED", JobPhase::kEnded},       {"CANCELLED", JobPhase::kEnded},
    {"FAILED", JobPhase::kEnded},          {"TIMEOUT", JobPhase::kEnded},
    {"NODE_FAIL", JobPhase::kEnded},       {"PREEMPTED", JobPhase::kEnded},
    {"BOOT_FAIL", JobPhase::kEnded},       {"DEADLINE", JobPhase::kEnded},
    {"OUT_OF_MEMORY", JobPhase::kEnded},
}};

}  // namespace

std::string state_word(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return std::string(trimmed.substr(0, trimmed.find_first_of(" +,\t")));
}

JobPhase phase_of(std::string_view word) {
  const auto* found =
      std::find_if(kPhases.begin(), kPhases.end(), [&](const auto& p) { return p.first == word; });
  return found == kPhases.end() ? JobPhase::kUnknown : found->second;
}

}  // namespace sglexp
