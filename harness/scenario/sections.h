// SPDX-License-Identifier: Apache-2.0
// The sections of a scenario file, each read on top of the values that its struct already has.
#pragma once

#include "harness/scenario/map_reader.h"
#include "harness/scenario/scenario.h"

namespace sglexp {

// An arm reads these two again on top of the scenario's own.
void read_engine(MapReader& in, EngineSpec& out);
void read_placement(MapReader& in, PlacementSpec& out);

// The whole file.
void read_scenario(MapReader& in, Scenario& out);

}  // namespace sglexp
