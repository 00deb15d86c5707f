// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "harness/scenario/arms.h"
#include "harness/scenario/choices.h"
#include "harness/scenario/overrides.h"
#include "harness/scenario/rules.h"
#include "harness/scenario/sections.h"
#include "harness/sys/files.h"

namespace sglexp {

std::string_view placement_policy_name(PlacementPolicy policy) {
  return choice_name(kPlacementPolicies, policy);
}

std::span<const std::string_view> gate_metrics() {
  static constexpr std::array<std::string_view, 10> kMetrics = {
      "output_tok_s", "total_tok_s", "request_rate", "ttft_p50_ms", "ttft_p99_ms",
      "tpot_p50_ms",  "itl_p50_ms",  "itl_p99_ms",   "e2e_p50_ms",  "e2e_p99_ms"};
  return kMetrics;
}

bool is_secret_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  constexpr std::array<std::string_view, 6> kEndings = {"api_key",  "token",  "secret",
                                                        "password", "passwd", "credentials"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

Result<Scenario> parse_scenario(std::string_view yaml, const std::string& path,
                                const LoadOptions& options) {
  ReadLog log(path);
  ParsedYaml parsed = parse_yaml(yaml);
  log.add(std::move(parsed.problems));
  log.add(normalise_arms(parsed.root));
  log.add(apply_overrides(parsed.root, options.overrides));

  Scenario scenario;
  scenario.file = path;
  MapReader reader(parsed.root, log, "the scenario");
  read_scenario(reader, scenario);
  reader.finish();
  check_base(scenario, log);
  apply_rules(scenario, options, log);
  keep_arms(scenario, options.only_arms, log);
  if (!log.clean()) {
    return log.error();
  }
  return scenario;
}

Result<Scenario> load_scenario(const std::string& path, const LoadOptions& options) {
  // One byte more than parse_yaml accepts, so that the refusal is its own.
  SGLEXP_TRY(const std::string text, read_file(path, (std::uint64_t{1} << 20) + 1));
  return parse_scenario(text, path, options);
}

}  // namespace sglexp
