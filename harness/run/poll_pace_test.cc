// SPDX-License-Identifier: Apache-2.0
#include "harness/run/poll_pace.h"

#include <gtest/gtest.h>

namespace sglexp {
namespace {

constexpr TimePoint kStart = TimePoint(Seconds(1000));

// From `now` until the next question is due, to a tenth of a second.
Nanos wait_of(const PollPace& pace, TimePoint now) {
  Nanos waited{0};
  while (!pace.due(now + waited)) {
    waited += Millis(100);
  }
  return waited;
}

TEST(PollPace, AsksAtOnceFirst) {
  EXPECT_TRUE(PollPace(Seconds(30), 1).due(kStart));
}

TEST(PollPace, ThenEveryPeriodAndUpToAFifthMore) {
  PollPace pace(Seconds(30), 7);
  for (int i = 0; i < 50; ++i) {
    pace.answered(kStart);
    EXPECT_GE(wait_of(pace, kStart), Seconds(30));
    EXPECT_LE(wait_of(pace, kStart), Seconds(36) + Millis(100));
  }
}

TEST(PollPace, SilenceDoublesTheWaitUpToFiveMinutes) {
  PollPace pace(Seconds(30), 7);
  for (const int expected : {30, 60, 120, 240, 300, 300}) {
    pace.unanswered(kStart);
    EXPECT_GE(wait_of(pace, kStart), Seconds(expected));
    EXPECT_LE(wait_of(pace, kStart), Millis(expected * 1200 + 100));
  }
  pace.answered(kStart);
  EXPECT_LE(wait_of(pace, kStart), Seconds(36) + Millis(100));
  pace.unanswered(kStart);
  EXPECT_LE(wait_of(pace, kStart), Seconds(36) + Millis(100));
}

TEST(PollPace, SilenceNeverShortensALongPeriod) {
  PollPace pace(Seconds(600), 7);
  pace.unanswered(kStart);
  EXPECT_GE(wait_of(pace, kStart), Seconds(600));
}

TEST(PollPace, HurriesToAnEndThatIsExpectedAndCalmsDown) {
  PollPace pace(Seconds(30), 7);
  pace.answered(kStart);
  pace.hurry(kStart, Millis(300));
  EXPECT_EQ(wait_of(pace, kStart), Millis(300));
  for (const int expected_ms : {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000}) {
    pace.answered(kStart);
    EXPECT_GE(wait_of(pace, kStart), Millis(expected_ms));
    EXPECT_LE(wait_of(pace, kStart), Millis(expected_ms * 12 / 10 + 100));
  }
}

TEST(PollPace, AShortPeriodIsNeverMadeLonger) {
  PollPace pace(Millis(200), 7);
  pace.hurry(kStart, Millis(300));
  EXPECT_LE(wait_of(pace, kStart), Millis(200));
  pace.answered(kStart);
  EXPECT_LE(wait_of(pace, kStart), Millis(300));
}

}  // namespace
}  // namespace sglexp
