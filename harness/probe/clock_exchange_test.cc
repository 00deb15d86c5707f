// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/clock_exchange.h"

#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(ClockExchange, OneHostAgreesWithItselfWithinTheRoundTrip) {
  const auto server = TimeServer::start("127.0.0.1");
  ASSERT_TRUE(server.ok()) << server.error().message;
  for (int node = 0; node < 3; ++node) {
    const auto offset = measure_clock_offset("127.0.0.1", (*server)->port());
    ASSERT_TRUE(offset.ok()) << offset.error().message;
    EXPECT_LE(std::abs(offset->offset.count()), offset->uncertainty.count() + 1000);
  }
}

TEST(ClockExchange, SaysWhenNobodyAnswers) {
  int port = 0;
  {
    const auto server = TimeServer::start("127.0.0.1");
    port = (*server)->port();
  }
  EXPECT_EQ(measure_clock_offset("127.0.0.1", port).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(TimeServer::start("not-an-address").ok());
}

}  // namespace
}  // namespace sglexp
