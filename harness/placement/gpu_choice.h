// SPDX-License-Identifier: Apache-2.0
// Which of a node's allocated GPUs each of its workers gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/placement/placement.h"

namespace sglexp {

// Does an entry of PlacementSpec::gpus, an index or a PCI address, name this GPU?
[[nodiscard]] bool names_gpu(std::string_view entry, const Gpu& gpu);

// One list a worker, in rank order. same_numa takes the NUMA node with most free GPUs, cross_numa
// the fewest (two or more) such nodes that hold equal parts; ties go to the lowest id, and within a
// node to the lowest index. kInvalidInput says what is missing and what is free, without the node's
// name.
[[nodiscard]] Result<std::vector<std::vector<Gpu>>> choose_gpus(const PlacementNode& node,
                                                                const ArmSpec& arm);

}  // namespace sglexp
