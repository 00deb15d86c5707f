// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster profile, for the loader and for the test that lists them.
#pragma once

#include "harness/scenario/cluster_profile.h"
#include "harness/scenario/map_reader.h"

namespace sglexp {

void read_cluster_profile(MapReader& in, ClusterProfile& out);

}  // namespace sglexp
