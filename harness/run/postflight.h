// SPDX-License-Identifier: Apache-2.0
// Proof on a node that a run left nothing behind. Only processes that carry the run's own mark are
// ever touched.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/sys/clock.h"

namespace sglexp {

struct PostflightSpec {
  std::string node;
  std::string address;
  std::string run_token;
  std::vector<int> ports;  // every port that the job planned on this node
  std::string cache_root;  // removed, with the job's directories around it; lies below cache_parent
  std::string cache_parent;
};

struct PostflightReport {
  std::vector<std::string> leftovers;  // what was found, in words
  bool clean = true;                   // false: something could not be removed
};

// Waits until no process carries the run's mark, at most for `patience`: at the end of a job that was
// cancelled each one is being ended by its own node-exec, and is not left behind yet.
void let_processes_end(const PostflightSpec& spec, Clock& clock, Nanos patience);

[[nodiscard]] PostflightReport postflight(const PostflightSpec& spec, Clock& clock);

[[nodiscard]] std::string postflight_spec_to_json(const PostflightSpec& spec);
[[nodiscard]] Result<PostflightSpec> parse_postflight_spec(std::string_view json);
[[nodiscard]] std::string postflight_report_to_json(const PostflightReport& report);
[[nodiscard]] Result<PostflightReport> parse_postflight_report(std::string_view json);

}  // namespace sglexp
