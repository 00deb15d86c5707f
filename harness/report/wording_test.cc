// SPDX-License-Identifier: Apache-2.0
#include "harness/report/wording.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/arm_summary.h"
#include "harness/report/placement_summary.h"
#include "harness/report/sample_report.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NumberText, KeepsFourDigits) {
  EXPECT_EQ(number_text(2411.4), "2411");
  EXPECT_EQ(number_text(183.24), "183.2");
  EXPECT_EQ(number_text(41.234), "41.23");
  EXPECT_EQ(number_text(8.4134), "8.413");
  EXPECT_EQ(number_text(0.012345), "0.0123");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-2411.4), "-2411");
  EXPECT_EQ(number_text(1.5e-7), "1.500e-07");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "none");
}

TEST(ValueText, LeavesOutTheUnitOfPlainNumbers) {
  EXPECT_EQ(value_text(183.2, "ms"), "183.2 ms");
  EXPECT_EQ(value_text(0.5, "1"), "0.5000");
  EXPECT_EQ(value_text(std::nullopt, "ms"), "none");
}

TEST(ChangeText, IsARatioInPercent) {
  EXPECT_EQ(change_text(1.127), "+12.7%");
  EXPECT_EQ(change_text(0.8693), "-13.1%");
  EXPECT_EQ(change_text(0.99999), "0.0%");
  EXPECT_EQ(interval_text(1.114, 1.136), "[+11.4%, +13.6%]");
  EXPECT_EQ(interval_text(1.1, std::nullopt), "none");
}

TEST(PText, IsNeverZero) {
  EXPECT_EQ(p_text(0.0), "<1e-4");
  EXPECT_EQ(p_text(0.0078125), "0.00781");
  EXPECT_EQ(p_text(1.0), "1");
  EXPECT_EQ(p_text(std::nullopt), "none");
}

TEST(MarkedChange, MarksWhatIsNoFinding) {
  MetricComparison m{.ratio = 0.995};
  m.verdict = Verdict::kNoChange;
  EXPECT_EQ(marked_change(m), "~ -0.5%");
  m.verdict = Verdict::kInconclusive;
  EXPECT_EQ(marked_change(m), "? -0.5%");
  m.verdict = Verdict::kWorse;
  EXPECT_EQ(marked_change(m), "-0.5%");
}

TEST(VerdictText, TellsMarginReasonAndMoreRuns) {
  const MetricComparison m = inconclusive_report().comparison->metrics[0];
  EXPECT_EQ(verdict_text(m),
            "inconclusive (margin 3%), p(Holm) 0.25: 3 trials per arm are below the floor, need at "
            "least 4; about 1 more run per arm; confounded with nodes");
}

TEST(GateCounts, SaysWhenNoGateCanFailTheRun) {
  EXPECT_EQ(gate_counts(passing_simulated_report()), "2 worse; none of them fails the run");
  EXPECT_EQ(gate_counts(regressed_report()), "2 worse");
  EXPECT_EQ(gate_counts(failed_startup_report()), "");
}

TEST(ReproduceText, QuotesWhatItIsGiven) {
  RunReport report = regressed_report();
  EXPECT_EQ(reproduce_text(report), "sglexp run numa_compare --cluster mi210 --set repeats.seed=1");
  report.run.scenario = "x; rm -rf /";
  EXPECT_THAT(reproduce_text(report), HasSubstr("run 'x; rm -rf /' --cluster"));
  report.reproduce = "sglexp run other";
  EXPECT_EQ(reproduce_text(report), "sglexp run other");
}

TEST(ArmSummary, TakesTheMedianOverBlocks) {
  RunReport report = regressed_report();
  const std::vector<ArmSummary> arms = summarize_arms(report);
  ASSERT_EQ(arms.size(), 4U);
  EXPECT_EQ(arms[0].load_point, "c4");
  EXPECT_EQ(arms[0].arm, "same_numa");
  EXPECT_EQ(arms[0].n, 8);
  ASSERT_TRUE(arms[0].ci_low && arms[0].ci_high && arms[0].median);
  EXPECT_LT(*arms[0].ci_low, *arms[0].median);
  EXPECT_LT(*arms[0].median, *arms[0].ci_high);
  EXPECT_NEAR(*arms[0].confidence, 0.9922, 1e-4);
}

TEST(ArmSummary, ABlockCountsOnceHoweverManySlotsItHas) {
  RunReport report = regressed_report();
  TrialRecord again = report.trials[0];
  again.key.slot = 99;
  again.metrics[0].value = *again.metrics[0].value * 3;
  report.trials.push_back(again);
  const std::vector<ArmSummary> arms = summarize_arms(report);
  EXPECT_EQ(arms[0].n, 8);
  EXPECT_EQ(*arms[0].ci_high, *again.metrics[0].value / 3 * 2);
}

TEST(ArmSummary, TrialsThatDoNotCountAreLeftOut) {
  RunReport report = regressed_report();
  for (TrialRecord& trial : report.trials) {
    trial.status = TrialStatus::kInfraFailed;
  }
  EXPECT_EQ(summarize_arms(report)[0].n, 0);
  EXPECT_EQ(interval_note(summarize_arms(report)[0]), "no trial counts");
}

TEST(PlacementSummary, TellsASharedPlacementOnceWithItsSlots) {
  const std::vector<PlacementSummary> rows = summarize_placement(regressed_report());
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0].arm, "same_numa");
  EXPECT_EQ(rows[5].arm, "cross_numa");
  EXPECT_THAT(rows[0].slots, ElementsAre(0, 3, 4, 7, 8, 11, 12, 15));
  EXPECT_EQ(process_text(rows[6].row), "worker w0[1]");
  EXPECT_EQ(gpu_text(rows[6].row), "4 at 0000:85:00.0 (NUMA 1)");
  EXPECT_EQ(process_text(rows[4].row), "router");
  EXPECT_EQ(gpu_text(rows[4].row), "-");
}

TEST(ObservedText, SaysWhatWasSeenInstead) {
  PlacementRow row{.gpu_pci = "0000:05:00.0", .cpus = "0-3", .observed_cpus = "0-3"};
  EXPECT_EQ(observed_text(row), "GPUs not measured");
  row.observed_gpus = "0000:25:00.0,0000:05:00.0";
  EXPECT_EQ(observed_text(row), "as planned");
  row.observed_gpus = "0000:25:00.0";
  row.observed_cpus = "";
  EXPECT_EQ(observed_text(row), "CPUs not measured, GPUs 0000:25:00.0");
}

}  // namespace
}  // namespace sglexp
