// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/cross_node.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/probe/catalogue.h"

namespace sglexp {

namespace {

std::string fact(const NodeReport& report, const std::string& name) {
  const auto found = report.facts.find(name);
  return found == report.facts.end() ? "" : found->second;
}

// "a on n1 n2; b on n3": equal values folded.
std::string folded(const std::vector<NodeReport>& reports, const std::string& name) {
  std::map<std::string, std::vector<std::string>> nodes_by_value;
  for (const NodeReport& report : reports) {
    nodes_by_value[fact(report, name)].push_back(report.node);
  }
  std::string out;
  for (const auto& [value, nodes] : nodes_by_value) {
    out += fmt::format("{}{} on {}", out.empty() ? "" : "; ", value.empty() ? "(unknown)" : value,
                       fmt::join(nodes, " "));
  }
  return out;
}

CheckResult check_master_agrees(const Scenario& scenario, std::size_t node_count,
                                const std::vector<NodeReport>& reports) {
  std::set<std::string> values;
  for (const NodeReport& report : reports) {
    values.insert(fact(report, "master_addr"));
  }
  return judged({.id = "master_addr_agrees",
                 .measured = reports.size() == node_count && !values.contains(""),
                 .expected = "one address on all nodes",
                 .observed = folded(reports, "master_addr"),
                 .remedy = "make the first node's name resolve to the same address on every node"},
                values.size() == 1, check_level("master_addr_agrees", scenario));
}

CheckResult check_ranks(const Scenario& scenario, std::size_t node_count,
                        const std::vector<NodeReport>& reports) {
  std::set<std::string> seen;
  std::set<std::string> expected;
  for (std::size_t i = 0; i < node_count; ++i) {
    expected.insert(std::to_string(i));
  }
  for (const NodeReport& report : reports) {
    seen.insert(fact(report, "rank"));
  }
  return judged(
      {.id = "ranks_complete",
       .measured = reports.size() == node_count,
       .expected = fmt::format("0 .. {}, each once", node_count - 1),
       .observed = folded(reports, "rank"),
       .remedy = "look at SLURMD_NODENAME in each node's report: two nodes may share one name"},
      seen == expected && reports.size() == node_count, check_level("ranks_complete", scenario));
}

CheckResult check_versions(const Scenario& scenario, const std::vector<NodeReport>& reports) {
  constexpr std::array kVersions = {"kernel", "architecture", "amdgpu_driver", "rocm", "cpu_model"};
  std::string differences;
  for (const char* name : kVersions) {
    std::set<std::string> values;
    for (const NodeReport& report : reports) {
      values.insert(fact(report, name));
    }
    if (values.size() > 1) {
      differences +=
          fmt::format("{}{}: {}", differences.empty() ? "" : " | ", name, folded(reports, name));
    }
  }
  return judged({.id = "versions_agree",
                 .measured = !reports.empty(),
                 .expected = "equal on all nodes",
                 .observed = differences.empty() ? "equal" : differences,
                 .remedy = "exclude the odd node (--exclude), or bring it to the same version"},
                differences.empty(), check_level("versions_agree", scenario));
}

}  // namespace

std::vector<CheckResult> judge_across_nodes(const Scenario& scenario,
                                            const std::vector<std::string>& job_nodes,
                                            const std::vector<NodeReport>& reports) {
  return {check_master_agrees(scenario, job_nodes.size(), reports),
          check_ranks(scenario, job_nodes.size(), reports), check_versions(scenario, reports)};
}

std::optional<Failure> environment_failure(const std::vector<CheckResult>& checks) {
  const auto failed = std::find_if(checks.begin(), checks.end(), [](const CheckResult& check) {
    return check.verdict == CheckVerdict::kFail;
  });
  if (failed == checks.end()) {
    return std::nullopt;
  }
  const auto count = std::count_if(checks.begin(), checks.end(), [](const CheckResult& check) {
    return check.verdict == CheckVerdict::kFail;
  });
  return Failure{
      .outcome = Outcome::kEnvironment,
      .what = fmt::format("required check {} {}{}", failed->id,
                          failed->measured ? "failed" : "could not be measured",
                          count > 1 ? fmt::format(" ({} failed checks in all)", count) : ""),
      .node = failed->node,
      .phase = "probe",
      .cause = fmt::format("expected {}; observed {}", failed->expected, failed->observed),
      .evidence = failed->evidence,
      .remedy = failed->remedy};
}

}  // namespace sglexp
