// SPDX-License-Identifier: Apache-2.0
// Numbers, verdicts and outcomes as every report words them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/comparison.h"
#include "harness/report/run_report.h"

namespace sglexp {

// Four significant digits without an exponent where that is readable: 2411, 183.2, 0.0123.
[[nodiscard]] std::string number_text(double value);
// "183.2 ms"; the unit "1" is none.
[[nodiscard]] std::string value_text(std::optional<double> value, std::string_view unit);
// A ratio as a change: 1.127 -> "+12.7%".
[[nodiscard]] std::string change_text(double ratio);
// "[+11.4%, +13.6%]" or "none".
[[nodiscard]] std::string interval_text(std::optional<double> low, std::optional<double> high);
// Never "0": "<1e-4".
[[nodiscard]] std::string p_text(std::optional<double> p);
// 0.03 -> "3%", 0.961 -> "96.1%".
[[nodiscard]] std::string percent_text(double fraction);

// "~ -0.5%" where no change was shown, "? +6.2%" where nothing was: never by colour alone.
[[nodiscard]] std::string marked_change(const MetricComparison& metric);
// "worse (margin 3%), p(Holm) 0.0234: confirmed over margin; interval 96.1%".
[[nodiscard]] std::string verdict_text(const MetricComparison& metric);

// "REGRESSED (exit 1): a gate got worse"; "RUNNING: no outcome yet".
[[nodiscard]] std::string headline(const RunReport& report);
// "SIMULATED (mock scheduler, fake engine)", or "" for a real run.
[[nodiscard]] std::string simulated_text(const RunInfo& run);
// "3 worse, 1 inconclusive" over the rows, or "none".
[[nodiscard]] std::string verdict_counts(std::span<const MetricComparison> metrics);
// "2 worse, 1 no change; none of them fails the run", or "" where no gate is declared.
[[nodiscard]] std::string gate_counts(const RunReport& report);
// "46 ok, 2 infra failed".
[[nodiscard]] std::string trial_counts(const RunReport& report);
// "43 pass, 1 fail".
[[nodiscard]] std::string check_counts(const RunReport& report);
// How the arms were compared: "paired by block", "unpaired: confounded with nodes".
[[nodiscard]] std::string pairing_text(const Comparison& comparison);

// The rows that decide: gates; where none is declared, those of throughput.
[[nodiscard]] std::vector<MetricComparison> deciding_rows(const RunReport& report);
[[nodiscard]] std::vector<MetricComparison> other_rows(const RunReport& report);

// Neither pass nor not applicable.
[[nodiscard]] std::vector<CheckResult> checks_to_show(const RunReport& report);
// Commands, one a line.
[[nodiscard]] std::string reproduce_text(const RunReport& report);

}  // namespace sglexp
