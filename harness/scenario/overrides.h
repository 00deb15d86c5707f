// SPDX-License-Identifier: Apache-2.0
// "KEY.PATH=VALUE" from the command line, put into the tree before anything is validated: an
// override is held to the same rules as the file, and errors name the flag.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/scenario/yaml_node.h"

namespace sglexp {

// Lists are addressed by index from 0, or by the `name` of an item: load.points.c4.requests=8.
// The value is YAML: 8, 20m, [0, 1], "text". Maps on the way are made where they are missing;
// whether their keys exist is the reader's to say. Returns what is wrong with the flags themselves.
[[nodiscard]] std::vector<Problem> apply_overrides(YamlNode& root,
                                                   std::span<const std::string> overrides);

// Rewrites {"placement.policy": x} as {placement: {policy: x}}, with the marks kept. A key that is
// there twice after that is a problem.
[[nodiscard]] std::vector<Problem> nest_dotted_keys(YamlNode& map);

}  // namespace sglexp
