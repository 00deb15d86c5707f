// SPDX-License-Identifier: Apache-2.0
// The words that files use for the fixed choices; one table serves reading and writing.
#pragma once

#include <string_view>

#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/map_reader.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

inline constexpr Choice<PlacementBy> kPlacementBy[] = {{"select", PlacementBy::kSelect},
                                                       {"request", PlacementBy::kRequest}};
inline constexpr Choice<PlacementPolicy> kPlacementPolicies[] = {
    {"same_numa", PlacementPolicy::kSameNuma},
    {"cross_numa", PlacementPolicy::kCrossNuma},
    {"pack", PlacementPolicy::kPack},
    {"explicit", PlacementPolicy::kExplicit}};
inline constexpr Choice<BlockOrder> kBlockOrders[] = {{"shuffled", BlockOrder::kShuffled},
                                                      {"abba", BlockOrder::kAbba}};
inline constexpr Choice<bool> kJobsPerSlot[] = {{"shared", false}, {"per_slot", true}};
inline constexpr Choice<CheckLevel> kCheckLevels[] = {{"required", CheckLevel::kRequired},
                                                      {"optional", CheckLevel::kOptional},
                                                      {"off", CheckLevel::kOff}};
inline constexpr Choice<SchedulerKind> kSchedulers[] = {{"slurm", SchedulerKind::kSlurm},
                                                        {"mock", SchedulerKind::kMock}};

template <typename E, std::size_t N>
[[nodiscard]] constexpr std::string_view choice_name(const Choice<E> (&choices)[N], E value) {
  for (const Choice<E>& each : choices) {
    if (each.value == value) {
      return each.name;
    }
  }
  return "unknown";
}

}  // namespace sglexp
