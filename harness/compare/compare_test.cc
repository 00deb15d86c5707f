// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/compare.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/random.h"
#include "harness/compare/trial_factory.h"

namespace sglexp {
namespace {

using testing::HasSubstr;

constexpr const char* kRate = "output_tok_s";

// Blocks of both arms: base level 1000, candidate `ratio` times that, launch noise `cv`.
struct Design {
  int blocks = 8;
  double cv = 0.01;
  double ratio = 1;
  std::uint64_t seed = 1;
  std::vector<std::string> load_points = {"c16"};
  Direction direction = Direction::kHigherIsBetter;
};

std::vector<TrialRecord> run_design(const Design& design) {
  Rng rng(design.seed);
  std::vector<TrialRecord> trials;
  int slot = 0;
  for (int block = 0; block < design.blocks; ++block) {
    for (const char* arm : {"same_numa", "cross_numa"}) {
      const double level = std::string_view(arm) == "same_numa" ? 1000 : 1000 * design.ratio;
      for (const std::string& point : design.load_points) {
        const double value = level * std::exp(design.cv * rng.normal());
        trials.push_back(sketch_trial(
            {arm, block, slot, point},
            {sketch_metric(kRate, value, design.direction),
             sketch_metric("ttft_p50_ms", 5e4 / value, Direction::kLowerIsBetter, "ms"),
             sketch_metric("client_cpu_share", 0.2, Direction::kNone, "1")}));
        trials.back().output_digest = "d" + std::to_string(block);
      }
      ++slot;
    }
  }
  return trials;
}

CompareRequest request_for(const Design& design = {}) {
  CompareRequest request;
  request.base_arm = "same_numa";
  request.other_arms = {"cross_numa"};
  request.load_points = design.load_points;
  request.gates = {{kRate, {}, 0.03, true}};
  return request;
}

MetricComparison row_of(const Comparison& comparison, const std::string& metric,
                        const std::string& load_point = "c16") {
  for (const MetricComparison& row : comparison.metrics) {
    if (row.metric == metric && row.load_point == load_point) {
      return row;
    }
  }
  ADD_FAILURE() << "no row for " << metric << " at " << load_point;
  return comparison.metrics.at(0);
}

TEST(CompareArms, TwelvePercentSlowerInEightQuietBlocksIsWorse) {
  const Design design = {.ratio = 0.88, .load_points = {"c1", "c16", "c64"}};
  const auto comparison = compare_arms(run_design(design), request_for(design));
  EXPECT_TRUE(comparison.paired);
  for (const auto& point : design.load_points) {
    const MetricComparison row = row_of(comparison, kRate, point);
    EXPECT_EQ(row.verdict, Verdict::kWorse) << row.reason;
    EXPECT_THAT(row.reason, HasSubstr("confirmed over margin"));
    EXPECT_EQ(row.test, "sign_flip");
    EXPECT_EQ(row.n_base, 8);
    EXPECT_NEAR(*row.ratio, 0.88, 0.01);
    EXPECT_LT(*row.ci_low, *row.ratio);
    EXPECT_GT(*row.ci_high, *row.ratio);
    EXPECT_GE(*row.confidence_achieved, 0.95);
    EXPECT_DOUBLE_EQ(*row.p, 2.0 / 256);
    EXPECT_DOUBLE_EQ(*row.p_adjusted, 3 * 2.0 / 256);
    EXPECT_EQ(row.a12, 0);
    EXPECT_EQ(row.unit, "tok/s");
  }
  EXPECT_EQ(gate_outcome(comparison), Outcome::kRegressed);
}

TEST(CompareArms, TheDirectionTurnsTheWordNotTheRatio) {
  Design design = {.ratio = 1.12};
  const auto higher = compare_arms(run_design(design), request_for(design));
  design.direction = Direction::kLowerIsBetter;
  const auto lower = compare_arms(run_design(design), request_for(design));
  EXPECT_EQ(row_of(higher, kRate).verdict, Verdict::kBetter);
  EXPECT_EQ(row_of(lower, kRate).verdict, Verdict::kWorse);
  EXPECT_EQ(row_of(higher, kRate).ratio, row_of(lower, kRate).ratio);
  EXPECT_EQ(gate_outcome(higher), Outcome::kPassed);
  EXPECT_EQ(gate_outcome(lower), Outcome::kRegressed);
}

TEST(CompareArms, IdenticalArmsAreNeverWorse) {
  int undecided = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Design design = {.seed = seed};
    const auto comparison = compare_arms(run_design(design), request_for(design));
    const MetricComparison row = row_of(comparison, kRate);
    ASSERT_TRUE(row.verdict == Verdict::kNoChange || row.verdict == Verdict::kInconclusive)
        << seed << " " << verdict_name(row.verdict);
    undecided += row.verdict == Verdict::kInconclusive ? 1 : 0;
  }
  EXPECT_LT(undecided, 60);
}

TEST(CompareArms, InformationalMetricsHaveNoAdjustedPAndFailNothing) {
  const Design design = {.ratio = 0.8};
  auto request = request_for(design);
  request.gates.clear();
  const auto comparison = compare_arms(run_design(design), request);
  const MetricComparison row = row_of(comparison, "ttft_p50_ms");
  EXPECT_EQ(row.verdict, Verdict::kWorse);
  EXPECT_FALSE(row.gate);
  EXPECT_TRUE(row.p);
  EXPECT_FALSE(row.p_adjusted);
  EXPECT_EQ(row.margin, 0.05);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kPassed);
  for (const auto& each : comparison.metrics) {
    EXPECT_NE(each.metric, "client_cpu_share");
  }
}

TEST(CompareArms, AGateThatDoesNotFailTheRunIsAFinding) {
  const Design design = {.ratio = 0.8};
  auto request = request_for(design);
  request.gates[0].fails_run = false;
  const auto comparison = compare_arms(run_design(design), request);
  EXPECT_EQ(row_of(comparison, kRate).verdict, Verdict::kWorse);
  EXPECT_TRUE(row_of(comparison, kRate).p_adjusted);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kPassed);
}

TEST(CompareArms, HalvesOfBlocksAreLeftOutAndCounted) {
  const Design design = {.ratio = 0.88};
  auto trials = run_design(design);
  trials[1].status = TrialStatus::kInfraFailed;  // cross_numa of block 0
  trials[2].status = TrialStatus::kDiscarded;    // same_numa of block 1
  trials[2].discard_reason = "preempted";
  const MetricComparison row = row_of(compare_arms(trials, request_for(design)), kRate);
  EXPECT_EQ(row.n_base, 6);
  EXPECT_EQ(row.n_candidate, 6);
  EXPECT_EQ(row.verdict, Verdict::kWorse);
  EXPECT_THAT(row.reason, HasSubstr("2 blocks left out"));
}

TEST(CompareArms, TooFewBlocksAreInconclusiveWithAdvice) {
  const Design design = {.blocks = 4, .ratio = 0.5};
  const auto comparison = compare_arms(run_design(design), request_for(design));
  const MetricComparison row = row_of(comparison, kRate);
  EXPECT_EQ(row.verdict, Verdict::kInconclusive);
  EXPECT_THAT(row.reason, HasSubstr("need at least 6"));
  EXPECT_EQ(row.more_runs, 2);
  EXPECT_TRUE(row.p);
  EXPECT_FALSE(row.p_adjusted);
  EXPECT_FALSE(row.ci_low);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kInconclusive);
}

TEST(CompareArms, AnArmWithoutCountedTrialsIsNoDataNeverGreen) {
  const Design design;
  auto trials = run_design(design);
  for (auto& trial : trials) {
    if (trial.key.arm == "cross_numa") {
      trial.status = TrialStatus::kTestFailed;
      trial.outcome = Outcome::kStartup;
    }
  }
  auto request = request_for(design);
  request.gates[0].fails_run = false;
  const auto comparison = compare_arms(trials, request);
  const MetricComparison row = row_of(comparison, kRate);
  EXPECT_EQ(row.verdict, Verdict::kNoData);
  EXPECT_EQ(row.reason, "arm cross_numa has no counted trial at c16 (8 trials: 8 test_failed)");
  EXPECT_FALSE(comparison.paired);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kInfrastructure);
}

TEST(CompareArms, AGateOnWhatNobodyMeasuredIsNoData) {
  const Design design;
  auto request = request_for(design);
  request.gates.push_back({"no_such_metric", {"c16", "c999"}, 0.03, false});
  const auto comparison = compare_arms(run_design(design), request);
  EXPECT_EQ(row_of(comparison, "no_such_metric").verdict, Verdict::kNoData);
  EXPECT_THAT(row_of(comparison, "no_such_metric").reason, HasSubstr("no trial reports"));
  EXPECT_THAT(row_of(comparison, "no_such_metric", "c999").reason, HasSubstr("no trials at all"));
  EXPECT_EQ(gate_outcome(comparison), Outcome::kInfrastructure);
  // It is no member of the family either.
  EXPECT_EQ(row_of(comparison, kRate).p, row_of(comparison, kRate).p_adjusted);
}

TEST(CompareArms, AGateWithOnlyOneArmCouldNotBeEvaluated) {
  const Design design;
  auto request = request_for(design);
  request.other_arms.clear();
  const auto comparison = compare_arms(run_design(design), request);
  EXPECT_EQ(row_of(comparison, kRate).verdict, Verdict::kNoData);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kInfrastructure);
  request.gates.clear();
  EXPECT_EQ(gate_outcome(compare_arms(run_design(design), request)), Outcome::kPassed);
}

TEST(CompareArms, ConfoundedBlocksAreComparedUnpairedAndMarked) {
  const Design design = {.ratio = 0.88};
  auto request = request_for(design);
  request.confounded_with = "nodes";
  const auto comparison = compare_arms(run_design(design), request);
  EXPECT_FALSE(comparison.paired);
  const MetricComparison row = row_of(comparison, kRate);
  EXPECT_EQ(row.test, "mann_whitney");
  EXPECT_EQ(row.verdict, Verdict::kWorse);
  EXPECT_EQ(row.confounded_with, "nodes");
  EXPECT_THAT(row.reason, HasSubstr("confounded with nodes"));
  EXPECT_NEAR(*row.p, 2.0 / 12870, 1e-12);
  EXPECT_NEAR(*row.ratio, 0.88, 0.01);
}

TEST(CompareArms, ArmsThatShareNoBlockAreUnpaired) {
  const Design design = {.ratio = 0.88};
  auto trials = run_design(design);
  for (auto& trial : trials) {
    trial.key.block = trial.key.slot;
  }
  const auto comparison = compare_arms(trials, request_for(design));
  EXPECT_FALSE(comparison.paired);
  EXPECT_EQ(row_of(comparison, kRate).test, "mann_whitney");
  EXPECT_EQ(row_of(comparison, kRate).verdict, Verdict::kWorse);
}

TEST(CompareArms, AZeroFallsBackToTheLinearScale) {
  const Design design = {.ratio = 0.88};
  auto trials = run_design(design);
  trials[1].metrics[0].value = 0;  // one cross_numa trial measured nothing at all
  const MetricComparison row = row_of(compare_arms(trials, request_for(design)), kRate);
  EXPECT_EQ(row.verdict, Verdict::kWorse);
  EXPECT_THAT(row.reason, HasSubstr("linear"));
  EXPECT_NEAR(*row.ratio, 0.88, 0.02);
  EXPECT_LT(*row.ci_low, *row.ratio);
}

TEST(CompareArms, AllZerosAreNoChangeAndHaveNoRatio) {
  const Design design;
  auto trials = run_design(design);
  for (auto& trial : trials) {
    trial.metrics[0].value = 0;
  }
  const MetricComparison row = row_of(compare_arms(trials, request_for(design)), kRate);
  EXPECT_EQ(row.verdict, Verdict::kNoChange);
  EXPECT_FALSE(row.ratio);
  EXPECT_FALSE(row.ci_low);
  EXPECT_EQ(row.base, 0);
}

TEST(CompareArms, ForeignUnitsAreNotComparable) {
  const Design design;
  auto trials = run_design(design);
  trials[3].metrics[0].unit = "tok/min";
  const auto comparison = compare_arms(trials, request_for(design));
  EXPECT_EQ(row_of(comparison, kRate).verdict, Verdict::kNotComparable);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kInfrastructure);
}

TEST(CompareArms, AGateOnAFactIsNotComparable) {
  const Design design;
  auto request = request_for(design);
  request.gates = {{"client_cpu_share", {}, 0.03, true}};
  const auto comparison = compare_arms(run_design(design), request);
  EXPECT_EQ(row_of(comparison, "client_cpu_share").verdict, Verdict::kNotComparable);
}

TEST(CompareArms, OutputsAreComparedAtEveryLoadPoint) {
  const Design design = {.load_points = {"c1", "c16"}};
  auto trials = run_design(design);
  trials.back().output_digest = "other";
  const auto comparison = compare_arms(trials, request_for(design));
  ASSERT_EQ(comparison.output_sanity.size(), 2U);
  EXPECT_EQ(comparison.output_sanity[0].load_point, "c1");
  EXPECT_EQ(comparison.output_sanity[0].equal, 8);
  EXPECT_EQ(comparison.output_sanity[1].equal, 7);
  EXPECT_THAT(comparison.output_sanity[1].note, HasSubstr("block 7"));
}

TEST(CompareArms, ManyBlocksUseTheSeedAndRepeatExactly) {
  const Design design = {.blocks = 30, .cv = 0.05, .ratio = 0.98};
  const auto trials = run_design(design);
  const auto request = request_for(design);
  const double p = *row_of(compare_arms(trials, request), kRate).p;
  EXPECT_EQ(p, *row_of(compare_arms(trials, request), kRate).p);
  auto other = request;
  other.seed = 99;
  EXPECT_NEAR(p, *row_of(compare_arms(trials, other), kRate).p, 0.02);
}

TEST(CompareArms, EachArmHasItsOwnFamily) {
  const Design design = {.ratio = 0.88};
  auto trials = run_design(design);
  const auto copy = trials;
  for (auto trial : copy) {
    if (trial.key.arm == "cross_numa") {
      trial.key.arm = "spread";
      trial.key.slot += 100;
      trials.push_back(trial);
    }
  }
  auto request = request_for(design);
  request.other_arms.emplace_back("spread");
  const auto comparison = compare_arms(trials, request);
  int gates = 0;
  for (const auto& row : comparison.metrics) {
    if (row.gate) {
      ++gates;
      EXPECT_EQ(row.p, row.p_adjusted) << row.arm;
    }
  }
  EXPECT_EQ(gates, 2);
}

TEST(GateOutcome, WhatCouldNotBeEvaluatedOutranksARegression) {
  Comparison comparison;
  MetricComparison row;
  row.gate = true;
  row.fails_run = true;
  for (const Verdict verdict : {Verdict::kInconclusive, Verdict::kWorse}) {
    row.verdict = verdict;
    comparison.metrics.push_back(row);
  }
  EXPECT_EQ(gate_outcome(comparison), Outcome::kRegressed);
  row.fails_run = false;
  row.verdict = Verdict::kNoData;
  comparison.metrics.push_back(row);
  EXPECT_EQ(gate_outcome(comparison), Outcome::kInfrastructure);
  EXPECT_EQ(gate_outcome({}), Outcome::kPassed);
}

TEST(CompareRequest, ComesFromTheScenario) {
  Scenario scenario;
  scenario.arms.resize(3);
  scenario.arms[0].name = "x";
  scenario.arms[1].name = "y";
  scenario.arms[1].base = true;
  scenario.arms[2].name = "z";
  scenario.load.points = {{"c1", 1, 10}, {"c16", 16, 10}};
  scenario.gates = {{kRate, {}, 0.03, false}};
  scenario.repeats.seed = 42;
  const auto request = compare_request(scenario);
  EXPECT_EQ(request.base_arm, "y");
  EXPECT_THAT(request.other_arms, testing::ElementsAre("x", "z"));
  EXPECT_THAT(request.load_points, testing::ElementsAre("c1", "c16"));
  EXPECT_EQ(request.seed, 42U);
  scenario.arms[1].base = false;
  EXPECT_EQ(compare_request(scenario).base_arm, "x");
}

TEST(UsualMargin, TailsGetMoreRoom) {
  EXPECT_EQ(usual_margin("ttft_p99_ms"), 0.10);
  EXPECT_EQ(usual_margin("icl_max_ms"), 0.10);
  EXPECT_EQ(usual_margin("ttft_p50_ms"), 0.05);
  EXPECT_EQ(usual_margin("output_tok_s"), 0.03);
}

}  // namespace
}  // namespace sglexp
