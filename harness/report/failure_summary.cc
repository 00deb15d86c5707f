// SPDX-License-Identifier: Apache-2.0
#include "harness/report/failure_summary.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/layout.h"
#include "harness/report/wording.h"

namespace sglexp {

namespace {

std::string where_text(const Failure& failure) {
  std::vector<std::string> parts;
  if (!failure.node.empty()) {
    parts.push_back("node " + ascii(failure.node, 64));
  }
  if (!failure.phase.empty()) {
    parts.push_back("phase " + ascii(failure.phase, 32));
  }
  return join(parts, ", ");
}

// Other things that went wrong; the first cause is told above, so a count and names are enough.
std::string also_text(const RunReport& report) {
  std::vector<std::string> failed_checks;
  for (const CheckResult& check : report.checks) {
    if (check.verdict == CheckVerdict::kFail) {
      failed_checks.push_back(
          ascii(check.node.empty() ? check.id : check.id + " on " + check.node, 64));
    }
  }
  std::vector<std::string> parts;
  if (!failed_checks.empty()) {
    parts.push_back("failed checks: " + join(failed_checks, ", "));
  }
  const auto lost =
      std::count_if(report.trials.begin(), report.trials.end(),
                    [](const TrialRecord& trial) { return trial.status != TrialStatus::kOk; });
  if (lost > 0) {
    parts.push_back(fmt::format("{} of {} trials do not count", lost, report.trials.size()));
  }
  return join(parts, "; ");
}

void add(std::string& out, std::string_view label, const std::string& text, std::size_t max_lines) {
  if (!text.empty()) {
    out += labelled(label, text, max_lines);
  }
}

}  // namespace

std::string failure_summary(const RunReport& report) {
  if (!report.run.failure) {
    return "";
  }
  const Failure& failure = *report.run.failure;
  std::string out;
  add(out, "what", ascii(failure.what), 2);
  add(out, "where", where_text(failure), 1);
  add(out, "cause", ascii(failure.cause), 2);
  add(out, "evidence", ascii(failure.evidence), 2);
  add(out, "remedy", ascii(failure.remedy), 2);
  add(out, "also", also_text(report), 1);
  // A path that is cut or broken over lines cannot be copied.
  const std::string files = failure.files.empty() ? report.run.run_dir : failure.files;
  return files.empty() ? out : out + fmt::format("{:<10}{}\n", "files", ascii(files, 4096));
}

}  // namespace sglexp
