// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/counted_trials.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/compare/trial_factory.h"

namespace sglexp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TrialRecord trial(const TrialSketch& sketch, std::optional<double> value) {
  return sketch_trial(sketch, {sketch_metric("m", value)});
}

TEST(CountedTrials, OnlyPassedOnesCount) {
  std::vector<TrialRecord> trials(5, trial({}, 1));
  trials[1].status = TrialStatus::kInfraFailed;
  trials[2].status = TrialStatus::kDiscarded;
  trials[3].status = TrialStatus::kTestFailed;
  trials[4].outcome = Outcome::kInvalid;  // contradicts its status: not to be trusted
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].key.slot = static_cast<int>(i);
  }
  const auto counted = counted_trials(trials, "a", "c16");
  ASSERT_THAT(counted, SizeIs(1));
  EXPECT_EQ(counted[0], &trials[0]);
  EXPECT_EQ(describe_trials(trials, "a", "c16"),
            "5 trials: 1 discarded, 1 infra_failed, 1 invalid, 1 ok, 1 test_failed");
  EXPECT_EQ(describe_trials(trials, "b", "c16"), "no trials at all");
}

TEST(CountedTrials, TheLatestAttemptThatCountsStandsForItsSlot) {
  std::vector<TrialRecord> trials = {trial({.attempt = 0}, 1), trial({.attempt = 2}, 3),
                                     trial({.attempt = 1}, 2), trial({.attempt = 3}, 4)};
  trials[3].status = TrialStatus::kInfraFailed;
  const auto counted = counted_trials(trials, "a", "c16");
  ASSERT_THAT(counted, SizeIs(1));
  EXPECT_EQ(counted[0]->key.attempt, 2);
}

TEST(CollectMetric, BlockValueIsTheMeanOverItsSlots) {
  // ABBA in block 0, AB in block 1; block 2 has only the candidate.
  const std::vector<TrialRecord> trials = {trial({"a", 0, 0}, 10), trial({"b", 0, 1}, 20),
                                           trial({"b", 0, 2}, 22), trial({"a", 0, 3}, 14),
                                           trial({"a", 1, 4}, 8),  trial({"b", 1, 5}, 9),
                                           trial({"b", 2, 6}, 99)};
  const auto base = counted_trials(trials, "a", "c16");
  const auto candidate = counted_trials(trials, "b", "c16");
  const auto paired = collect_metric(base, candidate, "m", true);
  EXPECT_THAT(paired.base, ElementsAre(12, 8));
  EXPECT_THAT(paired.candidate, ElementsAre(21, 9));
  EXPECT_EQ(paired.blocks_left_out, 1);
  const auto unpaired = collect_metric(base, candidate, "m", false);
  EXPECT_THAT(unpaired.base, ElementsAre(10, 14, 8));
  EXPECT_THAT(unpaired.candidate, ElementsAre(20, 22, 9, 99));
  EXPECT_EQ(unpaired.blocks_left_out, 0);
  EXPECT_TRUE(share_a_block(base, candidate));
}

TEST(CollectMetric, AbsentAndBrokenValuesAreNamed) {
  std::vector<TrialRecord> trials = {trial({"a"}, std::nullopt), trial({"b"}, 1)};
  trials[0].metrics[0].reason = "needs 100 samples, has 12";
  const auto sample = collect_metric({&trials[0]}, {&trials[1]}, "m", true);
  EXPECT_TRUE(sample.found);
  EXPECT_THAT(sample.base, IsEmpty());
  EXPECT_THAT(sample.missing, HasSubstr("needs 100 samples, has 12"));
  trials[0].metrics[0].value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(collect_metric({&trials[0]}, {&trials[1]}, "m", true).base, IsEmpty());
  EXPECT_FALSE(collect_metric({&trials[0]}, {&trials[1]}, "other", true).found);
}

TEST(CollectMetric, ForeignUnitsAreAMismatch) {
  std::vector<TrialRecord> trials = {trial({"a"}, 1), trial({"b"}, 1)};
  trials[1].metrics[0].unit = "tok/min";
  EXPECT_THAT(collect_metric({&trials[0]}, {&trials[1]}, "m", true).mismatch, HasSubstr("tok/min"));
}

}  // namespace
}  // namespace sglexp
