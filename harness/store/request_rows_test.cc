// SPDX-License-Identifier: Apache-2.0
#include "harness/store/request_rows.h"

#include <gtest/gtest.h>

#include "harness/store/itl_codec.h"
#include "harness/store/sample_run.h"
#include "harness/store/statement.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

class RequestRowsTest : public ::testing::Test {
 protected:
  RequestRowsTest() { EXPECT_TRUE(store_.begin_run(sample_run()).ok()); }
  void ingest(const RequestRecord& request, ItlDetail detail) {
    const Status done =
        store_.ingest_trial(sample_run().uuid, sample_trial(), std::vector{request}, detail);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  std::string cell(const std::string& column) {
    Database database = std::move(Database::open(path_, Database::Access::kReadOnly)).value();
    return database.text("SELECT coalesce(" + column + ", 'NULL') FROM request").value();
  }

  TempDir dir_;
  std::string path_ = dir_.path() + "/s.db";
  Store store_ = std::move(Store::open(path_, OpenMode::kReadWrite)).value();
};

TEST_F(RequestRowsTest, StoresMomentsInMicrosecondsAndTheTokenSeries) {
  const RequestRecord request = sample_request(1);
  ingest(request, ItlDetail::kRaw);
  EXPECT_EQ(cell("phase"), "measured");
  EXPECT_EQ(cell("first_us"), "20000");
  EXPECT_EQ(cell("end_us"), "60500");
  EXPECT_EQ(cell("cached_tok"), "NULL");
  EXPECT_EQ(cell("hex(output_sha256)"), std::string(64, 'A'));
  EXPECT_EQ(cell("gap_n"), "2");
  EXPECT_EQ(cell("gap_p50_us"), "19999");
  EXPECT_EQ(cell("gap_max_us"), "20000");
  const auto events = decode_itl(cell("itl_blob"), request.t_first_ns);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ((*events)[1].t_ns, 40'000'000);
  EXPECT_EQ((*events)[2].tokens, 3);
}

TEST_F(RequestRowsTest, MomentsThatWereNeverReachedAreNull) {
  ingest({.seq = 1, .t_start_ns = 5'000, .status = RequestStatus::kConnect}, ItlDetail::kRaw);
  EXPECT_EQ(cell("start_us"), "5");
  for (const char* const column : {"sent_us", "first_us", "in_tok", "finish", "error", "itl_blob",
                                   "output_sha256", "gap_p50_us"}) {
    EXPECT_EQ(cell(column), "NULL") << column;
  }
}

TEST_F(RequestRowsTest, TheTokenSeriesIsOptional) {
  ingest(sample_request(1), ItlDetail::kSummary);
  EXPECT_EQ(cell("itl_blob"), "NULL");
  EXPECT_EQ(cell("gap_max_us"), "20000");
}

TEST_F(RequestRowsTest, ASeriesThatRunsBackwardsIsLeftOut) {
  RequestRecord request = sample_request(1);
  request.events[2].tokens = 0;
  ingest(request, ItlDetail::kRaw);
  EXPECT_EQ(cell("itl_blob"), "NULL");
}

TEST(GapSummary, UsesTheNearestRank) {
  const std::vector<TokenEvent> events = {{0, 1}, {1'000, 2}, {5'000, 3}, {7'000, 4}, {16'000, 5}};
  const GapSummary gaps = summarize_gaps(events);  // 1, 4, 2, 9
  EXPECT_EQ(gaps.n, 4);
  EXPECT_EQ(gaps.p50_us, 2);
  EXPECT_EQ(gaps.max_us, 9);
  EXPECT_EQ(summarize_gaps(std::span(events).first(1)).p50_us, std::nullopt);
}

}  // namespace
}  // namespace sglexp
