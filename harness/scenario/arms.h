// SPDX-License-Identifier: Apache-2.0
// The variants under comparison: each is the scenario's engine and placement with a few changes.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/map_reader.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

// Reads `arms`, on top of what the scenario has by then. Without the section there is one arm,
// "default", that changes nothing.
void read_arms(MapReader& in, Scenario& scenario);

// Exactly one arm is the base where there are several; a lone arm is.
void check_base(Scenario& scenario, ReadLog& log);

// --only: drops the other arms.
void keep_arms(Scenario& scenario, const std::vector<std::string>& names, ReadLog& log);

// Rewrites dotted keys of each arm in the tree, before anything is read.
[[nodiscard]] std::vector<Problem> normalise_arms(YamlNode& root);

}  // namespace sglexp
