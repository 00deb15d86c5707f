// SPDX-License-Identifier: Apache-2.0
// One question to one endpoint, and what the answer means. Judges nothing beyond that.
//
// SGLang opens its port only after the model is loaded, so a refused connection means loading; 503 on
// /health means that it warms up or drains; 404 there means that something else owns the port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/http/http_client.h"

namespace sglexp {

enum class HealthState {
  kRefused,       // no connection: still loading, or gone
  kSlow,          // no answer in time: SGLang's own health check may take 20 s
  kWarming,       // 503
  kHealthy,       // 200
  kWrongProgram,  // 404
  kOther,         // any other status
};
struct HealthAnswer {
  HealthState state = HealthState::kRefused;
  std::string observed;  // "GET http://.../health: HTTP 503"
};
[[nodiscard]] HealthAnswer ask_health(HttpClient& http, const std::string& url, Nanos timeout);

// Is it the process that this run started? Its random seed, which only we chose, tells.
enum class IdentityState {
  kOurs,
  kStranger,      // it has another seed
  kUnknown,       // no usable answer yet
  kWrongProgram,  // it has neither /server_info nor the older /get_server_info
};
struct IdentityAnswer {
  IdentityState state = IdentityState::kUnknown;
  bool slow = false;  // kUnknown because no answer came in time
  std::string observed;
};
[[nodiscard]] IdentityAnswer ask_identity(HttpClient& http, const std::string& url,
                                          std::uint64_t launch_seed, Nanos timeout);

// The router's view of the workers. Routers 0.2 and later tell health per worker (/workers); 0.1.x
// only lists them (/list_workers), after having waited for all of them. A router's own /health and
// /readiness say nothing about the number: one healthy worker is enough for them.
enum class RouterState {
  kUnreachable,  // refused, silent or an unexpected status
  kIncomplete,   // not every worker of ours is there and healthy
  kComplete,     // exactly ours, all healthy
  kForeign,      // it also has workers that are not ours
  kWrongProgram,
};
struct RouterAnswer {
  RouterState state = RouterState::kUnreachable;
  int healthy = 0;                   // of ours
  std::vector<std::string> missing;  // ours, not there or not healthy
  std::vector<std::string> foreign;
  bool slow = false;
  std::string observed;
};
[[nodiscard]] RouterAnswer ask_router(HttpClient& http, const std::string& url,
                                      const std::vector<std::string>& worker_urls, Nanos timeout);

}  // namespace sglexp
