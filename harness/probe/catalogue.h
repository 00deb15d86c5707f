// SPDX-License-Identifier: Apache-2.0
// Every check by name: what it asserts, why that matters, and whether a failure ends the run unless
// the scenario says otherwise. Scenarios switch checks by these ids.
#pragma once

#include <span>
#include <string_view>

#include "harness/record/check.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

enum class CheckPlace { kNode, kAcrossNodes, kSlot };

struct CheckDefinition {
  std::string_view id;
  CheckPlace place;
  CheckLevel level;       // default
  std::string_view what;  // one sentence
  std::string_view why;   // what goes wrong unnoticed without it
};

[[nodiscard]] std::span<const CheckDefinition> check_catalogue();
[[nodiscard]] CheckLevel check_level(std::string_view id, const Scenario& scenario);

// Fail closed: `passed` false or `measured` false is kFail for a required check and kWarn for an
// optional one. A pass carries no remedy.
[[nodiscard]] CheckResult judged(CheckResult result, bool passed, CheckLevel level);

}  // namespace sglexp
