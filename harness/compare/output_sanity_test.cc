// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/output_sanity.h"

#include <gtest/gtest.h>

#include "harness/compare/trial_factory.h"

namespace sglexp {
namespace {

TrialRecord with_digest(const TrialSketch& sketch, const std::string& digest) {
  TrialRecord trial = sketch_trial(sketch);
  trial.output_digest = digest;
  return trial;
}

OutputSanity compare(const std::vector<TrialRecord>& trials) {
  return compare_outputs(counted_trials(trials, "a", "c16"), counted_trials(trials, "b", "c16"));
}

TEST(OutputSanity, BlocksAgreeOneByOne) {
  // The blocks have different prompts, so only within a block must outputs agree.
  const auto sanity = compare({with_digest({"a", 0, 0}, "x"), with_digest({"b", 0, 1}, "x"),
                               with_digest({"a", 1, 2}, "y"), with_digest({"b", 1, 3}, "y")});
  EXPECT_EQ(sanity.pairs, 2);
  EXPECT_EQ(sanity.equal, 2);
  EXPECT_EQ(sanity.note, "");
}

TEST(OutputSanity, DifferencesNameTheirBlocks) {
  const auto sanity = compare({with_digest({"a", 0, 0}, "x"), with_digest({"b", 0, 1}, "z"),
                               with_digest({"a", 1, 2}, "y"), with_digest({"b", 1, 3}, "y"),
                               with_digest({"a", 2, 4}, "u"), with_digest({"a", 2, 5}, "v"),
                               with_digest({"b", 2, 6}, "u"), with_digest({"b", 3, 7}, "w")});
  EXPECT_EQ(sanity.pairs, 3);
  EXPECT_EQ(sanity.equal, 1);
  EXPECT_EQ(sanity.note, "outputs differ in block 0; one arm disagrees with itself in block 2");
}

TEST(OutputSanity, WithoutDigestsNothingWasCompared) {
  const auto sanity = compare({with_digest({"a", 0, 0}, ""), with_digest({"b", 0, 1}, "x")});
  EXPECT_EQ(sanity.pairs, 0);
  EXPECT_NE(sanity.note, "");
}

}  // namespace
}  // namespace sglexp
