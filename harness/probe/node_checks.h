// SPDX-License-Identifier: Apache-2.0
// Facts of one node against what was expected of it. Pure.
#pragma once

#include "harness/probe/node_facts.h"
#include "harness/probe/probe_spec.h"
#include "harness/record/check.h"

namespace sglexp {

// Every node check of the catalogue, in its order, and the facts that are compared across nodes.
[[nodiscard]] NodeReport judge_node(const ProbeSpec& spec, const NodeFacts& facts);

}  // namespace sglexp
