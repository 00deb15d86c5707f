// SPDX-License-Identifier: Apache-2.0
// One environment assertion on one node, and all that one node reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

enum class CheckVerdict {
  kPass,
  kWarn,          // an optional check failed or could not be measured
  kFail,          // a required check failed, or could not be measured (fail closed)
  kNotApplicable  // the profile or scenario demands nothing here
};
[[nodiscard]] std::string_view check_verdict_name(CheckVerdict verdict);
[[nodiscard]] std::optional<CheckVerdict> parse_check_verdict(std::string_view name);

struct CheckResult {
  std::string id;    // "gpu_set", "master_addr" ...: the catalogue's name
  std::string node;  // "" for cluster-wide checks
  bool required = true;
  bool measured = true;  // false: nothing was observed; a required check then fails
  CheckVerdict verdict = CheckVerdict::kFail;
  std::string expected;
  std::string observed;
  std::string evidence;  // raw value, file or command that shows it
  std::string remedy;    // what to change; empty on a pass
};

// Facts (name -> value) are compared between nodes and stored; checks are judged.
struct NodeReport {
  std::string node;
  std::string address;  // IPv4 or IPv6 literal that other nodes use to reach this one
  std::map<std::string, std::string> facts;
  std::vector<CheckResult> checks;
  std::string topology_json;  // recorded form (topology/topology.h), empty if discovery failed
};

}  // namespace sglexp
