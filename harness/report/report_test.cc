// SPDX-License-Identifier: Apache-2.0
#include "harness/report/report.h"

#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/report/sample_report.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::StartsWith;

using nlohmann::json;

// Compares with fixtures/gold/report/<name>; SGLEXP_UPDATE_GOLD=1 writes the file instead.
void expect_gold(const std::string& name, const std::string& text) {
  const std::string path = std::string(SGLEXP_SOURCE_DIR) + "/fixtures/gold/report/" + name;
  if (std::getenv("SGLEXP_UPDATE_GOLD") != nullptr) {
    ASSERT_TRUE(write_file_atomic(path, text).ok());
    return;
  }
  const Result<std::string> gold = read_file(path);
  ASSERT_TRUE(gold.ok()) << gold.error().message;
  EXPECT_EQ(text, *gold) << "refresh " << name << " with SGLEXP_UPDATE_GOLD=1";
}

struct GoldCase {
  const char* name;
  RunReport (*make)();
};

class ReportGold : public ::testing::TestWithParam<GoldCase> {};

TEST_P(ReportGold, Text) {
  expect_gold(std::string(GetParam().name) + ".txt", report_text(GetParam().make()));
}
TEST_P(ReportGold, Detail) {
  expect_gold(std::string(GetParam().name) + ".detail.txt", report_detail_text(GetParam().make()));
}
TEST_P(ReportGold, Markdown) {
  expect_gold(std::string(GetParam().name) + ".md", report_markdown(GetParam().make()));
}
TEST_P(ReportGold, Json) {
  const std::string text = report_json(GetParam().make());
  ASSERT_TRUE(json::accept(text));
  expect_gold(std::string(GetParam().name) + ".json", text);
}
TEST_P(ReportGold, TextIsAsciiOfEightyColumns) {
  for (const std::string& line : split(report_text(GetParam().make()), '\n')) {
    const bool is_path = line.find("/data/sglexp/") != std::string::npos;
    EXPECT_TRUE(line.size() <= 80 || is_path) << line;
    for (const char c : line) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, ReportGold,
                         ::testing::Values(GoldCase{"passed_simulated", passing_simulated_report},
                                           GoldCase{"regressed", regressed_report},
                                           GoldCase{"inconclusive", inconclusive_report},
                                           GoldCase{"failed_environment",
                                                    failed_environment_report},
                                           GoldCase{"failed_startup", failed_startup_report}),
                         [](const auto& gold) { return std::string(gold.param.name); });

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TEST(ReportText, NamesOutcomeAndExitCodeFirst) {
  EXPECT_EQ(first_line(report_text(passing_simulated_report())),
            "PASSED (exit 0): nothing regressed");
  EXPECT_EQ(first_line(report_text(regressed_report())), "REGRESSED (exit 1): a gate got worse");
  RunReport stopped = failed_startup_report();
  stopped.run.outcome = Outcome::kCancelled;
  stopped.exit = ExitCode::kInterrupted;
  EXPECT_EQ(first_line(report_text(stopped)), "CANCELLED (exit 130): stopped by Ctrl-C");
  stopped.run.outcome = std::nullopt;
  EXPECT_EQ(first_line(report_text(stopped)), "RUNNING: no outcome yet");
}

TEST(ReportText, StampsSimulatedResultsOnly) {
  EXPECT_THAT(report_text(passing_simulated_report()),
              HasSubstr("\nSIMULATED (mock scheduler, fake engine, recorded topology)\n"));
  EXPECT_THAT(report_text(regressed_report()), Not(HasSubstr("SIMULATED")));
}

TEST(ReportText, AFailedRunTakesFifteenLines) {
  RunReport report = failed_startup_report();
  const std::string endless(2000, 'x');
  report.run.failure->what = endless;
  report.run.failure->cause = endless + " " + endless;
  report.run.failure->evidence = endless;
  report.run.failure->remedy = endless;
  report.checks = failed_environment_report().checks;
  report.run.simulated = true;
  for (const RunReport& failed : {report, failed_startup_report(), failed_environment_report()}) {
    EXPECT_THAT(split(report_text(failed), '\n').size() - 1, Le(15U)) << report_text(failed);
  }
}

TEST(ReportText, SaysWhyThereIsNoInterval) {
  EXPECT_THAT(report_text(inconclusive_report()),
              HasSubstr("no 95% interval: needs 6 blocks, has 3"));
}

TEST(ReportText, ARunWithoutGatesShowsThroughput) {
  RunReport report = regressed_report();
  for (MetricComparison& metric : report.comparison->metrics) {
    metric.gate = false;
  }
  EXPECT_THAT(report_text(report),
              AllOf(HasSubstr("output_tok_s"), Not(HasSubstr("ttft_p50_ms")),
                    HasSubstr("1 more compared, for information"), Not(HasSubstr("gates"))));
}

TEST(ReportDetail, ShowsEveryMetricAndEveryCheckThatDidNotPass) {
  EXPECT_THAT(report_detail_text(regressed_report()), HasSubstr("ttft_p50_ms"));
  EXPECT_THAT(report_detail_text(failed_environment_report()),
              AllOf(HasSubstr("fail visibility on gpu02"), HasSubstr("warn memlock on gpu02"),
                    HasSubstr("observed  not measured"), Not(HasSubstr("gpu_set"))));
}

TEST(ReportMarkdown, ForeignTextStaysText) {
  const std::string text = report_markdown(failed_startup_report());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  const std::size_t begin = text.find("````text\n");
  const std::size_t end = text.find("\n````\n", begin);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(text.substr(begin, end - begin), HasSubstr("\n# not a heading | not a cell\n<img"));
  const std::string outside = text.substr(0, begin) + text.substr(end);
  for (const char* const markup : {"<img", "<script", "<b>", "https://", "@everyone"}) {
    EXPECT_THAT(outside, Not(HasSubstr(markup)));
  }
}

TEST(ReportMarkdown, StaysUnderItsLimitAndSaysWhatItLeftOut) {
  RunReport report = regressed_report();
  const std::vector<TrialRecord> few = report.trials;
  while (report.trials.size() < 20'000) {
    report.trials.insert(report.trials.end(), few.begin(), few.end());
  }
  const std::string text = report_markdown(report);
  EXPECT_LT(text.size(), kMarkdownMaxBytes);
  EXPECT_GT(text.size(), kMarkdownMaxBytes / 2);
  EXPECT_THAT(text, HasSubstr("did not fit here"));
  EXPECT_THAT(text, HasSubstr("</details>\n"));
  EXPECT_THAT(report_markdown(report, 3000).size(), Le(3000U));
  EXPECT_THAT(report_markdown(report, 0).size(), Le(400U));
}

TEST(ReportMarkdown, TellsAFactOfAllNodesOnce) {
  const std::string text = report_markdown(passing_simulated_report());
  EXPECT_THAT(text, HasSubstr("| `kernel` | `6.1.0-18-amd64` | all |"));
  EXPECT_THAT(text, HasSubstr("| `rocm` | `6.2.0` | **gpu02** |"));
}

TEST(ReportJson, HasWhatProgramsReadFirst) {
  const json out = json::parse(report_json(passing_simulated_report()));
  EXPECT_EQ(out["schema"], "sglexp-run/1");
  EXPECT_EQ(out["outcome"], "passed");
  EXPECT_EQ(out["exit_code"], 0);
  EXPECT_EQ(out["simulated"], true);
  EXPECT_EQ(out["jobs"][0]["state"], "COMPLETED");
  EXPECT_EQ(out["trials"].size(), 32U);
  EXPECT_EQ(out["trials"][0]["metrics"]["ttft_p99_ms"]["value"], nullptr);
  EXPECT_EQ(out["trials"][0]["metrics"]["ttft_p99_ms"]["reason"], "needs 100 samples");
  const json& row = out["comparisons"][0];
  EXPECT_EQ(row["ratio"], 0.8693);
  EXPECT_EQ(row["p_adjusted"], 0.015625);
  EXPECT_EQ(row["n"], 8);
  EXPECT_EQ(row["verdict"], "worse");
  EXPECT_EQ(row["direction"], "higher");
  EXPECT_EQ(out["checks"]["pass"], 6);
  EXPECT_EQ(out["placement"].size(), 16U * 5U) << "one entry a process and slot";
  EXPECT_EQ(out["failure"], nullptr);
}

TEST(ReportJson, NumbersAreFiniteOrNull) {
  RunReport report = passing_simulated_report();
  report.comparison->metrics[0].ci_high = std::numeric_limits<double>::infinity();
  report.comparison->metrics[0].p = std::nan("");
  report.trials[0].measured_s = std::nan("");
  const json out = json::parse(report_json(report));
  EXPECT_EQ(out["comparisons"][0]["ci_high"], nullptr);
  EXPECT_EQ(out["comparisons"][0]["p"], nullptr);
  EXPECT_EQ(out["trials"][0]["measured_s"], nullptr);
}

TEST(ReportJson, ARunningRunHasNoOutcome) {
  RunReport report = passing_simulated_report();
  report.run.outcome = std::nullopt;
  const json out = json::parse(report_json(report));
  EXPECT_EQ(out["outcome"], nullptr);
  EXPECT_EQ(out["exit_code"], nullptr);
}

TEST(ReportJson, AFailedRunTellsItsFailure) {
  const json out = json::parse(report_json(failed_environment_report()));
  EXPECT_EQ(out["failure"]["node"], "gpu02");
  EXPECT_EQ(out["checks"]["not_passed"].size(), 3U);
  EXPECT_EQ(out["checks"]["not_passed"][1]["measured"], false);
  EXPECT_EQ(out["comparisons"], json::array());
}

TEST(RunList, ShowsRunsAndMarksSimulatedOnes) {
  RunReport failed = failed_startup_report();
  failed.run.uuid = "90000000-0000-4000-8000-000000000000";
  failed.run.outcome = std::nullopt;
  failed.run.status = "running";
  const std::vector<RunListRow> rows = {{passing_simulated_report().run, 32, 32},
                                        {failed.run, 1, 0}};
  expect_gold("run_list.txt", run_list_text(rows));
  const json list = json::parse(run_list_json(rows));
  EXPECT_EQ(list["schema"], "sglexp-runs/1");
  EXPECT_EQ(list["runs"][0]["simulated"], true);
  EXPECT_EQ(list["runs"][1]["outcome"], nullptr);
  EXPECT_EQ(list["runs"][1]["trials"], 1);
  EXPECT_EQ(run_list_text({}), "no runs\n");
}

}  // namespace
}  // namespace sglexp
