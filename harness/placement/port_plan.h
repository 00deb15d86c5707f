// SPDX-License-Identifier: Apache-2.0
// Which ports the processes of a slot listen on. Planned, then tested on the node before a start.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace sglexp {

// SGLang derives further ports from its HTTP port (port + 233, and a block for data-parallel
// attention: server_args.py, PortArgs), so that two servers on one node keep 300 apart.
constexpr int kPortsPerWorker = 300;
constexpr int kPortsForServices = 20;

// Hands out ports, distinct on each address. All addresses share one start, which `salt` picks
// among the non-overlapping stretches of the range.
class PortPlan {
 public:
  // `workers`: the address of every worker, for the room that each address needs. kInvalidInput
  // where the range cannot hold them.
  static Result<PortPlan> make(int base, int count, std::uint64_t salt,
                               const std::vector<std::string>& workers);

  [[nodiscard]] int next_worker(const std::string& address);   // call once for each of `workers`
  [[nodiscard]] int next_service(const std::string& address);  // at most kPortsForServices

 private:
  int start_ = 0;
  int service_offset_ = 0;
  std::map<std::string, int> workers_;  // handed out so far
  std::map<std::string, int> services_;
};

}  // namespace sglexp
