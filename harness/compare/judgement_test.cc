// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judgement.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using testing::HasSubstr;

// Eight blocks, margin 3 %, a clear effect of `effect` with narrow intervals.
Evidence clear(double effect) {
  Evidence e;
  e.n = 8;
  e.p = 0.008;
  e.effect = effect;
  e.interval95 = Interval{effect - 0.005, effect + 0.005, 0.96};
  e.interval90 = Interval{effect - 0.004, effect + 0.004, 0.91};
  e.margin = std::log1p(0.03);
  e.sd = 0.006;
  return e;
}

TEST(Judge, SignificantAndOverTheMarginIsWorse) {
  EXPECT_EQ(judge(clear(0.05)).verdict, Verdict::kWorse);
  EXPECT_EQ(judge(clear(0.05)).reason, "confirmed over margin");
  EXPECT_EQ(judge(clear(0.031)).verdict, Verdict::kWorse);
  EXPECT_EQ(judge(clear(0.031)).reason, "");
}

TEST(Judge, TheOtherWayIsBetter) {
  EXPECT_EQ(judge(clear(-0.05)).verdict, Verdict::kBetter);
  EXPECT_EQ(judge(clear(-0.05)).reason, "confirmed over margin");
}

TEST(Judge, SignificanceAloneIsNotEnough) {
  const auto judgement = judge(clear(0.01));
  EXPECT_EQ(judgement.verdict, Verdict::kNoChange);
  EXPECT_EQ(judgement.reason, "detectable, below margin");
}

TEST(Judge, ALargeEffectAloneIsNotEnough) {
  Evidence e = clear(0.05);
  e.p = 0.2;
  e.interval90 = Interval{-0.02, 0.12, 0.91};
  e.sd = 0.05;
  const auto judgement = judge(e);
  EXPECT_EQ(judgement.verdict, Verdict::kInconclusive);
  EXPECT_THAT(judgement.reason, HasSubstr("noise: block ratios vary by 5 %"));
  EXPECT_THAT(judgement.reason, HasSubstr("about 24 blocks to see 3 %"));
  EXPECT_THAT(judgement.reason, HasSubstr("not resolvable with up to 20 blocks"));
  EXPECT_FALSE(judgement.more_runs);
}

TEST(Judge, EqualityIsShownNotAssumed) {
  Evidence e = clear(0);
  e.p = 0.9;
  EXPECT_EQ(judge(e).verdict, Verdict::kNoChange);
  e.interval90 = Interval{-0.04, 0.04, 0.91};
  e.sd = 0.035;
  const auto judgement = judge(e);
  EXPECT_EQ(judgement.verdict, Verdict::kInconclusive);
  EXPECT_EQ(judgement.more_runs, 12 - 8);
  e.interval90.reset();
  EXPECT_EQ(judge(e).verdict, Verdict::kInconclusive);
}

TEST(Judge, BelowTheFloorNothingIsDecided) {
  Evidence e = clear(0.5);
  e.n = 5;
  const auto pairs = judge(e);
  EXPECT_EQ(pairs.verdict, Verdict::kInconclusive);
  EXPECT_EQ(pairs.more_runs, 1);
  EXPECT_THAT(pairs.reason, HasSubstr("5 blocks are below the floor, need at least 6"));
  e.tests = 3;
  EXPECT_EQ(judge(e).more_runs, 2);
  e.paired = false;
  e.tests = 1;
  e.n = 3;
  EXPECT_THAT(judge(e).reason, HasSubstr("3 trials per arm are below the floor, need at least 4"));
}

TEST(Judge, HolmMayAskForMoreThanTheFloor) {
  Evidence e = clear(0.05);
  e.n = 6;
  e.tests = 3;
  e.p = 3 * 2.0 / 64;
  const auto judgement = judge(e);
  EXPECT_EQ(judgement.verdict, Verdict::kInconclusive);
  EXPECT_THAT(judgement.reason, HasSubstr("Holm over 3 tests needs at least 7 blocks"));
  EXPECT_EQ(judgement.more_runs, 1);
}

TEST(Judge, AtTheMarginItSaysSo) {
  Evidence e = clear(0.028);
  const auto judgement = judge(e);
  EXPECT_EQ(judgement.verdict, Verdict::kInconclusive);
  EXPECT_THAT(judgement.reason, HasSubstr("near the margin of 3 %"));
}

TEST(Judge, EqualValuesNeedNoInterval) {
  Evidence e;
  e.n = 8;
  e.identical = true;
  EXPECT_EQ(judge(e).verdict, Verdict::kNoChange);
}

TEST(Judge, WithoutARelativeMarginOnlyARealDifferenceDecides) {
  Evidence e = clear(3);
  e.margin = 0;
  e.sd.reset();
  EXPECT_EQ(judge(e).verdict, Verdict::kWorse);
  e.p = 0.3;
  EXPECT_EQ(judge(e).verdict, Verdict::kInconclusive);
  EXPECT_THAT(judge(e).reason, HasSubstr("no relative margin"));
}

}  // namespace
}  // namespace sglexp
