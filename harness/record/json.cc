// SPDX-License-Identifier: Apache-2.0
#include "harness/record/json.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"

namespace sglexp {

namespace {

using nlohmann::json;

constexpr auto kReplace = json::error_handler_t::replace;  // logs and evidence may hold any bytes

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, kReplace);
}

template <typename T>
T need(std::optional<T> value, std::string_view kind, const std::string& word) {
  if (!value) {
    throw std::runtime_error(fmt::format("'{}' is not a {}", printable(word, 60), kind));
  }
  return *value;
}

// Runs `read` on the parsed text; anything that nlohmann or a reader throws becomes an Error.
template <typename Read>
auto parse_with(std::string_view text, std::string_view what, Read read)
    -> Result<decltype(read(std::declval<const json&>()))> {
  try {
    return read(json::parse(text));
  } catch (const std::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("not a {}: {}", what, problem.what())};
  }
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string from_hex(const std::string& hex) {
  const auto digit = [](char c) -> int {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) {
      throw std::runtime_error("histogram bytes are not hex");
    }
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

json failure_json(const Failure& f) {
  return {{"outcome", outcome_name(f.outcome)},
          {"what", f.what},
          {"node", f.node},
          {"phase", f.phase},
          {"cause", f.cause},
          {"evidence", f.evidence},
          {"remedy", f.remedy},
          {"files", f.files}};
}

Failure read_failure(const json& j) {
  const std::string word = j.at("outcome");
  return {.outcome = need(parse_outcome(word), "outcome", word),
          .what = j.at("what"),
          .node = j.value("node", ""),
          .phase = j.value("phase", ""),
          .cause = j.value("cause", ""),
          .evidence = j.value("evidence", ""),
          .remedy = j.value("remedy", ""),
          .files = j.value("files", "")};
}

json check_json(const CheckResult& c) {
  return {{"id", c.id},
          {"node", c.node},
          {"required", c.required},
          {"measured", c.measured},
          {"verdict", check_verdict_name(c.verdict)},
          {"expected", c.expected},
          {"observed", c.observed},
          {"evidence", c.evidence},
          {"remedy", c.remedy}};
}

CheckResult read_check(const json& j) {
  const std::string word = j.at("verdict");
  return {.id = j.at("id"),
          .node = j.at("node"),
          .required = j.at("required"),
          .measured = j.at("measured"),
          .verdict = need(parse_check_verdict(word), "check verdict", word),
          .expected = j.value("expected", ""),
          .observed = j.value("observed", ""),
          .evidence = j.value("evidence", ""),
          .remedy = j.value("remedy", "")};
}

json checks_json(const std::vector<CheckResult>& checks) {
  json out = json::array();
  for (const CheckResult& check : checks) {
    out.push_back(check_json(check));
  }
  return out;
}

std::vector<CheckResult> read_checks(const json& j) {
  std::vector<CheckResult> out;
  for (const json& check : j) {
    out.push_back(read_check(check));
  }
  return out;
}

json key_json(const TrialKey& key) {
  return {{"arm", key.arm},
          {"block", key.block},
          {"slot", key.slot},
          {"load_point", key.load_point},
          {"attempt", key.attempt}};
}

TrialKey read_key(const json& j) {
  return {.arm = j.at("arm"),
          .block = j.at("block"),
          .slot = j.at("slot"),
          .load_point = j.at("load_point"),
          .attempt = j.at("attempt")};
}

json metric_json(const MetricValue& m) {
  return {{"name", m.name},
          {"unit", m.unit},
          {"direction", direction_name(m.direction)},
          {"value", m.value ? json(*m.value) : json(nullptr)},
          {"n", m.n},
          {"reason", m.reason}};
}

MetricValue read_metric(const json& j) {
  const std::string word = j.at("direction");
  const json& value = j.at("value");
  return {.name = j.at("name"),
          .unit = j.at("unit"),
          .direction = need(parse_direction(word), "direction", word),
          .value = value.is_null() ? std::nullopt : std::optional<double>(value.get<double>()),
          .n = j.at("n"),
          .reason = j.value("reason", "")};
}

json placement_json(const PlacementRow& p) {
  return {{"role", p.role},
          {"name", p.name},
          {"rank", p.rank},
          {"node", p.node},
          {"gpu_index", p.gpu_index},
          {"gpu_pci", p.gpu_pci},
          {"gpu_numa", p.gpu_numa},
          {"cpus", p.cpus},
          {"mem_nodes", p.mem_nodes},
          {"port", p.port},
          {"observed_cpus", p.observed_cpus},
          {"observed_gpus", p.observed_gpus},
          {"simulated_binding", p.simulated_binding}};
}

PlacementRow read_placement(const json& j) {
  return {.role = j.at("role"),
          .name = j.at("name"),
          .rank = j.at("rank"),
          .node = j.at("node"),
          .gpu_index = j.at("gpu_index"),
          .gpu_pci = j.at("gpu_pci"),
          .gpu_numa = j.at("gpu_numa"),
          .cpus = j.at("cpus"),
          .mem_nodes = j.at("mem_nodes"),
          .port = j.at("port"),
          .observed_cpus = j.at("observed_cpus"),
          .observed_gpus = j.at("observed_gpus"),
          .simulated_binding = j.at("simulated_binding")};
}

json trial_json(const TrialRecord& t) {
  json out = {{"key", key_json(t.key)},
              {"job_id", t.job_id},
              {"started_utc", t.started_utc},
              {"warmup_s", t.warmup_s},
              {"measured_s", t.measured_s},
              {"status", trial_status_name(t.status)},
              {"discard_reason", t.discard_reason},
              {"outcome", outcome_name(t.outcome)},
              {"failure", t.failure ? failure_json(*t.failure) : json(nullptr)},
              {"metrics", json::array()},
              {"histograms", json::array()},
              {"placement", json::array()},
              {"output_digest", t.output_digest},
              {"requests_file", t.requests_file},
              {"server_info_json", t.server_info_json}};
  for (const MetricValue& metric : t.metrics) {
    out["metrics"].push_back(metric_json(metric));
  }
  for (const HistogramBlob& h : t.histograms) {
    out["histograms"].push_back(
        {{"name", h.name}, {"codec", h.codec}, {"total", h.total}, {"hex", to_hex(h.bytes)}});
  }
  for (const PlacementRow& placed : t.placement) {
    out["placement"].push_back(placement_json(placed));
  }
  return out;
}

TrialRecord read_trial(const json& j) {
  const std::string status = j.at("status");
  const std::string outcome = j.at("outcome");
  TrialRecord t{.key = read_key(j.at("key")),
                .job_id = j.at("job_id"),
                .started_utc = j.at("started_utc"),
                .warmup_s = j.at("warmup_s"),
                .measured_s = j.at("measured_s"),
                .status = need(parse_trial_status(status), "trial status", status),
                .discard_reason = j.at("discard_reason"),
                .outcome = need(parse_outcome(outcome), "outcome", outcome),
                .output_digest = j.value("output_digest", ""),
                .requests_file = j.value("requests_file", ""),
                .server_info_json = j.value("server_info_json", "")};
  if (!j.at("failure").is_null()) {
    t.failure = read_failure(j.at("failure"));
  }
  for (const json& metric : j.at("metrics")) {
    t.metrics.push_back(read_metric(metric));
  }
  for (const json& h : j.at("histograms")) {
    t.histograms.push_back({.name = h.at("name"),
                            .codec = h.at("codec"),
                            .total = h.at("total"),
                            .bytes = from_hex(h.at("hex"))});
  }
  for (const json& placed : j.at("placement")) {
    t.placement.push_back(read_placement(placed));
  }
  return t;
}

}  // namespace

std::string failure_to_json(const Failure& failure) {
  return dump(failure_json(failure));
}

Result<Failure> parse_failure(std::string_view text) {
  return parse_with(text, "failure record", read_failure);
}

std::string node_report_to_json(const NodeReport& report) {
  return dump({{"node", report.node},
               {"address", report.address},
               {"facts", report.facts},
               {"checks", checks_json(report.checks)},
               {"topology_json", report.topology_json}});
}

Result<NodeReport> parse_node_report(std::string_view text) {
  return parse_with(text, "node report", [](const json& j) {
    return NodeReport{.node = j.at("node"),
                      .address = j.at("address"),
                      .facts = j.at("facts"),
                      .checks = read_checks(j.at("checks")),
                      .topology_json = j.at("topology_json")};
  });
}

std::string checks_to_json(const std::vector<CheckResult>& checks) {
  return dump(checks_json(checks));
}

Result<std::vector<CheckResult>> parse_checks(std::string_view text) {
  return parse_with(text, "list of checks", read_checks);
}

std::string trial_to_json(const TrialRecord& trial) {
  return dump(trial_json(trial));
}

Result<TrialRecord> parse_trial(std::string_view text) {
  return parse_with(text, "trial record", read_trial);
}

}  // namespace sglexp
