// SPDX-License-Identifier: Apache-2.0
// Runs in words: pure functions from values to text. Text that came from elsewhere (node names, log
// lines, server errors) comes out as text, whatever control bytes, markup or escapes it holds.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/report/run_report.h"

namespace sglexp {

// For a terminal of 80 columns, ASCII, no colour: outcome and exit code in words first, then
// throughput by arm, gates and their verdicts, and where the files are. A run that failed ends with
// at most 15 lines: what, where, first cause with its evidence, remedy, files.
[[nodiscard]] std::string report_text(const RunReport& report);

// The same and more, in tables as wide as they need: every compared metric, checks that did not
// pass, placement, trials.
[[nodiscard]] std::string report_detail_text(const RunReport& report);

// GitHub-flavoured Markdown, without images or links. Stays under max_bytes, since GitHub refuses
// step summaries from 1 MiB; rows that do not fit are counted in a note.
inline constexpr std::size_t kMarkdownMaxBytes = 1'000'000;
[[nodiscard]] std::string report_markdown(const RunReport& report,
                                          std::size_t max_bytes = kMarkdownMaxBytes);

// One JSON object ("schema": "sglexp-run/1"), numbers in full precision, finite or null.
[[nodiscard]] std::string report_json(const RunReport& report);

[[nodiscard]] std::string run_list_text(std::span<const RunListRow> runs);
[[nodiscard]] std::string run_list_json(std::span<const RunListRow> runs);  // "sglexp-runs/1"

}  // namespace sglexp
