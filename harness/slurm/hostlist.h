// SPDX-License-Identifier: Apache-2.0
// Slurm's compressed host lists: "node[01-03,7]" <-> node01 node02 node03 node7.
//
// Grammar as `scontrol show hostnames` of Slurm 22.05 and 24.11 shows it. `scontrol` itself is no
// help inside a job: it needs a readable slurm.conf, and on a bad list it exits 0 with no output.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace sglexp {

// Names in Slurm's order; duplicates are kept. kInvalidInput names the offending part. A range holds
// at most 65,536 names (Slurm's own limit), a list at most 262,144 (ours, against hostile text).
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text);

// The reverse, keeping the order, as `scontrol show hostlist` prints it: n1,n01,n2 -> n[1,01,2].
[[nodiscard]] std::string compress_hosts(std::span<const std::string> hosts);

}  // namespace sglexp
