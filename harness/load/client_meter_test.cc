// SPDX-License-Identifier: Apache-2.0
#include "harness/load/client_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/fakes/fake_clock.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

TEST(ClientMeter, ReportsTheSlowTurnsOfTheLoop) {
  FakeClock clock;
  ClientMeter meter(clock);
  meter.begin();
  for (int i = 0; i < 990; ++i) {
    meter.add_round(Micros(100));
  }
  for (int i = 0; i < 10; ++i) {
    meter.add_round(Millis(7));
  }
  clock.advance(Seconds(10));
  const ClientHealth health = meter.end();
  EXPECT_NEAR(static_cast<double>(health.loop_p99_ns), 1e5, 1e3);
  EXPECT_EQ(health.loop_max_ns, 7'000'000);
  EXPECT_GE(health.cpu_share, 0.0);
  EXPECT_LT(health.cpu_share, 0.1);  // this test used well under a second of CPU
}

TEST(ClientMeter, ForgetsWhatCameBeforeTheMeasuredPart) {
  FakeClock clock;
  ClientMeter meter(clock);
  meter.begin();
  meter.add_round(Seconds(3));
  meter.begin();
  meter.add_round(Micros(50));
  EXPECT_EQ(meter.end().loop_max_ns, 50'000);
}

TEST(ClientMeter, DistrustsABusyThread) {
  ClientHealth health;
  health.cpu_share = 0.80;
  EXPECT_EQ(client_invalid_reason(health, 1e7), "");
  health.cpu_share = 0.87;
  EXPECT_THAT(client_invalid_reason(health, 1e7), HasSubstr("87 % of its CPU"));
}

TEST(ClientMeter, DistrustsALoopThatIsSlowAgainstTheTokens) {
  ClientHealth health;
  health.loop_p99_ns = 2'000'000;
  EXPECT_EQ(client_invalid_reason(health, 50e6), "");  // 5 % of 50 ms is 2.5 ms
  EXPECT_THAT(client_invalid_reason(health, 30e6), HasSubstr("2.00 ms at p99 (limit 1.50 ms)"));
}

TEST(ClientMeter, ToleratesTheNoiseOfASmallMachine) {
  ClientHealth health;
  health.loop_p99_ns = 900'000;
  EXPECT_EQ(client_invalid_reason(health, 5e6), "");  // 5 % would be 0.25 ms
}

}  // namespace
}  // namespace sglexp
