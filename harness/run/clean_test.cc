// SPDX-License-Identifier: Apache-2.0
#include "harness/run/clean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/controller.h"
#include "harness/run/run_info_builder.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Clean : public ::testing::Test {
 protected:
  RunFiles ended_run(const std::string& ended_utc, const std::string& status = "complete") {
    RunFiles run = sample_run(root_.path());
    RunInfo info = make_run_info(run);
    EXPECT_TRUE(store_.begin_run(info).ok());
    info.status = status;
    info.ended_utc = ended_utc;
    EXPECT_TRUE(store_.finish_run(info).ok());
    return run;
  }
  std::vector<std::string> old_ones(Nanos age) {
    // 2026-12-10T00:00:00Z
    const auto now = std::chrono::system_clock::from_time_t(1796860800);
    const auto found = old_run_directories(store_, age, now);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? *found : std::vector<std::string>{};
  }

  TempDir root_;
  Store store_ = std::move(Store::open("", OpenMode::kMemory)).value();
};

TEST_F(Clean, FindsRunsThatEndedLongEnoughAgo) {
  const RunFiles old = ended_run("2026-12-08T23:59:59.000Z");
  ended_run("2026-12-09T00:00:01.000Z");
  EXPECT_THAT(old_ones(std::chrono::hours(24)), ElementsAre(old.dir.root()));
  EXPECT_THAT(old_ones(std::chrono::hours(48)), IsEmpty());
}

TEST_F(Clean, LeavesARunningRunAlone) {
  ended_run("2026-12-01T00:00:00.000Z", "running");
  ended_run("", "running");
  EXPECT_THAT(old_ones(Seconds(1)), IsEmpty());
}

TEST_F(Clean, LeavesADirectoryOfAnotherRunAlone) {
  const RunFiles run = ended_run("2026-12-01T00:00:00.000Z");
  ASSERT_TRUE(write_file_atomic(run.dir.file("run.json"), R"({"uuid": "another"})").ok());
  EXPECT_THAT(old_ones(Seconds(1)), IsEmpty());
  ASSERT_TRUE(write_file_atomic(run.dir.file("run.json"), R"({"uuid": 7})").ok());
  EXPECT_THAT(old_ones(Seconds(1)), IsEmpty());
}

TEST_F(Clean, ADirectoryThatIsGoneIsNotNamed) {
  const RunFiles run = ended_run("2026-12-01T00:00:00.000Z");
  ASSERT_TRUE(remove_tree(run.dir.root(), root_.path()).ok());
  EXPECT_THAT(old_ones(Seconds(1)), IsEmpty());
}

}  // namespace
}  // namespace sglexp
