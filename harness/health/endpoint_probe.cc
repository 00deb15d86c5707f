// SPDX-License-Identifier: Apache-2.0
#include "harness/health/endpoint_probe.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/base/text.h"

namespace sglexp {

namespace {

using nlohmann::json;

std::string describe(const std::string& url, const Result<HttpResponse>& answer) {
  if (!answer.ok()) {
    return printable(answer.error().message);
  }
  std::string text = "GET " + url + ": HTTP " + std::to_string(answer.value().status);
  if (!answer.value().body.empty()) {
    text += ": " + printable(answer.value().body, 200);
  }
  return text;
}

bool timed_out(const Result<HttpResponse>& answer) {
  return !answer.ok() && answer.error().code == ErrorCode::kTimedOut;
}

bool has_status(const Result<HttpResponse>& answer, int status) {
  return answer.ok() && answer.value().status == status;
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

// Asks `path`, and `older` where the first is not known.
std::pair<std::string, Result<HttpResponse>> get_either(HttpClient& http, const std::string& url,
                                                        const char* path, const char* older,
                                                        Nanos timeout) {
  std::string asked = url + path;
  auto answer = http.get(asked, timeout);
  if (has_status(answer, 404)) {
    asked = url + older;
    answer = http.get(asked, timeout);
  }
  return {std::move(asked), std::move(answer)};
}

std::optional<std::uint64_t> random_seed_of(const std::string& body) {
  const json info = json::parse(body, nullptr, false);
  if (!info.is_object() || !info.contains("random_seed") ||
      !info["random_seed"].is_number_integer()) {
    return std::nullopt;
  }
  return info["random_seed"].get<std::uint64_t>();
}

// url -> healthy. Empty where the body has neither shape.
std::optional<std::map<std::string, bool>> workers_of(const std::string& body) {
  const json info = json::parse(body, nullptr, false);
  std::map<std::string, bool> workers;
  try {
    if (info.is_object() && info.contains("workers")) {
      for (const json& worker : info.at("workers")) {
        workers[without_slash(worker.at("url").get<std::string>())] =
            worker.at("is_healthy").get<bool>();
      }
      return workers;
    }
    if (info.is_object() && info.contains("urls")) {
      for (const json& url : info.at("urls")) {
        workers[without_slash(url.get<std::string>())] = true;
      }
      return workers;
    }
  } catch (const json::exception&) {
    // another shape: not an answer of a router that we know
  }
  return std::nullopt;
}

void compare_workers(const std::map<std::string, bool>& seen,
                     const std::vector<std::string>& worker_urls, RouterAnswer& answer) {
  std::vector<std::string> ours;
  for (const std::string& url : worker_urls) {
    ours.push_back(without_slash(url));
    const auto found = seen.find(ours.back());
    if (found != seen.end() && found->second) {
      ++answer.healthy;
    } else {
      answer.missing.push_back(url);
    }
  }
  for (const auto& [url, healthy] : seen) {
    if (std::find(ours.begin(), ours.end(), url) == ours.end()) {
      answer.foreign.push_back(printable(url));
    }
  }
  answer.state = !answer.foreign.empty()  ? RouterState::kForeign
                 : answer.missing.empty() ? RouterState::kComplete
                                          : RouterState::kIncomplete;
}

}  // namespace

HealthAnswer ask_health(HttpClient& http, const std::string& url, Nanos timeout) {
  const std::string asked = without_slash(url) + "/health";
  const auto answer = http.get(asked, timeout);
  HealthAnswer health{HealthState::kOther, describe(asked, answer)};
  if (!answer.ok()) {
    health.state = timed_out(answer) ? HealthState::kSlow : HealthState::kRefused;
  } else if (answer.value().status == 200) {
    health.state = HealthState::kHealthy;
  } else if (answer.value().status == 503) {
    health.state = HealthState::kWarming;
  } else if (answer.value().status == 404) {
    health.state = HealthState::kWrongProgram;
  }
  return health;
}

IdentityAnswer ask_identity(HttpClient& http, const std::string& url, std::uint64_t launch_seed,
                            Nanos timeout) {
  const auto [asked, answer] =
      get_either(http, without_slash(url), "/server_info", "/get_server_info", timeout);
  IdentityAnswer identity;
  identity.slow = timed_out(answer);
  if (has_status(answer, 404)) {
    identity.state = IdentityState::kWrongProgram;
    identity.observed = "neither /server_info nor /get_server_info exists";
    return identity;
  }
  if (!has_status(answer, 200)) {
    identity.observed = describe(asked, answer);
    return identity;
  }
  // The body is never quoted: it holds the server's API key in clear.
  const auto seed = random_seed_of(answer.value().body);
  if (!seed) {
    identity.observed = asked + " tells no random_seed";
    return identity;
  }
  identity.state = *seed == launch_seed ? IdentityState::kOurs : IdentityState::kStranger;
  identity.observed = asked + " says random_seed " + std::to_string(*seed) + ", this run passed " +
                      std::to_string(launch_seed);
  return identity;
}

RouterAnswer ask_router(HttpClient& http, const std::string& url,
                        const std::vector<std::string>& worker_urls, Nanos timeout) {
  const auto [asked, answer] =
      get_either(http, without_slash(url), "/workers", "/list_workers", timeout);
  RouterAnswer router;
  router.observed = describe(asked, answer);
  router.slow = timed_out(answer);
  if (has_status(answer, 404)) {
    router.state = RouterState::kWrongProgram;
    router.observed = "neither /workers nor /list_workers exists";
    return router;
  }
  if (!has_status(answer, 200)) {
    return router;
  }
  if (const auto seen = workers_of(answer.value().body)) {
    compare_workers(*seen, worker_urls, router);
  }
  return router;
}

}  // namespace sglexp
