// SPDX-License-Identifier: Apache-2.0
#include "harness/health/log_cause.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/health/log_lines.h"
#include "harness/health/log_patterns.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string fixture(std::string_view id) {
  return std::string(SGLEXP_SOURCE_DIR) + "/fixtures/logs/" + std::string(id) + ".log";
}

class FindCause : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view text) {
    const std::string path = dir_.path() + "/" + name;
    EXPECT_TRUE(write_file_atomic(path, text).ok());
    return path;
  }
  TempDir dir_;
};

TEST(LogPatterns, EveryPatternFindsItsCauseInItsFixture) {
  for (const LogPattern& pattern : log_patterns()) {
    ASSERT_TRUE(path_exists(fixture(pattern.id))) << pattern.id;
    const auto cause = find_cause({fixture(pattern.id)});
    if (pattern.rank == CauseRank::kHarmless) {
      EXPECT_FALSE(cause.has_value()) << pattern.id;
      continue;
    }
    ASSERT_TRUE(cause.has_value()) << pattern.id;
    EXPECT_EQ(cause->pattern_id, pattern.id);
    EXPECT_EQ(cause->cause, pattern.cause);
    EXPECT_EQ(cause->remedy, pattern.remedy);
    EXPECT_GT(cause->line_number, 0) << pattern.id;
    if (!pattern.opens_traceback) {
      const LogPattern* again = match_log_line(cause->line);
      ASSERT_NE(again, nullptr) << cause->line;
      EXPECT_EQ(again->id, pattern.id);
    }
  }
}

TEST(LogPatterns, HaveIdsOfTheirOwnAndWordsForPeople) {
  std::set<std::string_view> ids;
  for (const LogPattern& pattern : log_patterns()) {
    EXPECT_TRUE(ids.insert(pattern.id).second) << pattern.id;
    EXPECT_FALSE(pattern.any_of[0].empty()) << pattern.id;
    EXPECT_FALSE(pattern.cause.empty()) << pattern.id;
    EXPECT_FALSE(pattern.remedy.empty()) << pattern.id;
  }
}

TEST(LogPatterns, KnowTheOtherWordings) {
  const auto id = [](std::string_view line) {
    const LogPattern* pattern = match_log_line(line);
    return pattern == nullptr ? std::string_view("none") : pattern->id;
  };
  EXPECT_EQ(id("OSError: [Errno 98] Address already in use"), "address_in_use");
  EXPECT_EQ(id("TP scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)"),
            "watchdog_timeout");
  EXPECT_EQ(id("SIGQUIT received. signum=None, frame=None. It usually means one child failed."),
            "child_failed");
  EXPECT_EQ(id("api_server.py: error: argument --dtype: invalid choice: 'x'"), "unknown_flag");
  EXPECT_EQ(id("ProcessGroupNCCL's watchdog got stuck for 480 seconds"), "collective_timeout");
  EXPECT_EQ(id("server_args=ServerArgs(watchdog_timeout=300, nccl_port=None)"), "none");
  EXPECT_EQ(id(""), "none");
}

TEST_F(FindCause, AHealthyLogHasNone) {
  EXPECT_FALSE(find_cause({fixture("healthy")}).has_value());
}

TEST_F(FindCause, TheLastLineOfATracebackIsTheEvidence) {
  const auto cause = find_cause({fixture("scheduler_exception")});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->line, "KeyError: 'model.layers.0.self_attn.qkv_proj.weight'");
  EXPECT_EQ(find_cause({fixture("python_exception")})->line,
            "ModuleNotFoundError: No module named 'sglang'");
}

TEST_F(FindCause, ARootBeatsAnEarlierConsequenceInAnotherLog) {
  const auto cause = find_cause(
      {fixture("child_failed"), fixture("router_lost_worker"), fixture("out_of_memory")});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->pattern_id, "out_of_memory");
  EXPECT_THAT(cause->log_path, EndsWith("out_of_memory.log"));
}

TEST_F(FindCause, OfEqualsTheEarliestByTimeStampWinsOverTheOrderOfFiles) {
  const std::string late = write("w0.log",
                                 "[2026-11-30 10:00:09] server_args\n"
                                 "RuntimeError: HIP error: invalid device function\n");
  const std::string early = write("w1.log",
                                  "2026-11-30T10:00:03 starting\n"
                                  "Memory access fault by GPU node-6 (Agent handle: 0x1)\n");
  EXPECT_EQ(find_cause({late, early})->pattern_id, "gpu_memory_fault");
  EXPECT_EQ(find_cause({early, late})->pattern_id, "gpu_memory_fault");
}

TEST_F(FindCause, WithoutTimeStampsTheOrderOfFilesDecides) {
  const std::string a = write("a.log", "Address already in use\n");
  const std::string b = write("b.log", "[2026-11-30 10:00:09] No HIP GPUs are available\n");
  EXPECT_EQ(find_cause({a, b})->pattern_id, "address_in_use");
  EXPECT_EQ(find_cause({b, a})->pattern_id, "no_gpus");
}

TEST_F(FindCause, WithinOneLogTheFirstOfEqualsWins) {
  const std::string log = write("a.log", "x\nNo HIP GPUs are available\nAddress already in use\n");
  const auto cause = find_cause({log});
  EXPECT_EQ(cause->pattern_id, "no_gpus");
  EXPECT_EQ(cause->line_number, 2);
}

TEST_F(FindCause, SeesThroughColoursProgressBarsAndAMissingLastLineEnd) {
  const std::string log =
      write("a.log", "Loading:  50%\rLoading: 100%\r\x1b[31mNo HIP\x1b[0m GPUs are available");
  const auto cause = find_cause({log});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->line, "No HIP GPUs are available");
  EXPECT_EQ(cause->line_number, 1);
}

TEST_F(FindCause, SaysNothingOfUntrustedBytesUnprintably) {
  const std::string log =
      write("a.log", "\x07\x1b]0;title\x07 No HIP GPUs are available \xff\x01\n");
  const auto cause = find_cause({log});
  ASSERT_TRUE(cause.has_value());
  for (const char c : cause->line) {
    EXPECT_GE(c, ' ');
  }
}

TEST_F(FindCause, CutsEndlessLinesAndGoesOnAfterThem) {
  const std::string log = write(
      "a.log", std::string(300'000, 'x') + " Address already in use\nNo HIP GPUs are available\n");
  const auto cause = find_cause({log});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->pattern_id, "no_gpus");
  EXPECT_EQ(cause->line_number, 2);
}

TEST_F(FindCause, ARendezvousThatEndsIsNoCause) {
  const std::string log = write("a.log",
                                "Init torch distributed begin.\nInit torch distributed begin.\n"
                                "Init torch distributed ends. mem usage=1 GB\n"
                                "Init torch distributed ends. mem usage=1 GB\n");
  EXPECT_FALSE(find_cause({log}).has_value());
}

TEST_F(FindCause, ATracebackCutOffInTheMiddleIsStillOne) {
  const std::string log =
      write("a.log", "Traceback (most recent call last):\n  File \"x.py\", line 1\n");
  const auto cause = find_cause({log});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->pattern_id, "python_exception");
  EXPECT_THAT(cause->line, HasSubstr("x.py"));
}

TEST_F(FindCause, MissingFilesAreSkipped) {
  const std::string log = write("a.log", "No HIP GPUs are available\n");
  EXPECT_TRUE(find_cause({"/nowhere/x.log", log}).has_value());
  EXPECT_FALSE(find_cause({"/nowhere/x.log"}).has_value());
  EXPECT_FALSE(find_cause({}).has_value());
}

TEST_F(FindCause, LastLineSkipsBlankOnes) {
  EXPECT_EQ(last_log_line(write("a.log", "one\n  two \x1b[0m\n\n  \n")), "two");
  EXPECT_EQ(last_log_line("/nowhere/x.log"), "");
}

TEST(LogLines, StripsColoursAndKeepsTheRest) {
  std::string out;
  strip_ansi("\x1b[2m2026\x1b[0m a\x1b[1;31mb\x1b[K", out);
  EXPECT_EQ(out, "2026 ab");
  strip_ansi("\x1b", out);
  EXPECT_EQ(out, "");
  strip_ansi("x\x1b[12", out);
  EXPECT_EQ(out, "x");
}

TEST(LogLines, ReadsTimeStampsAtTheHeadOnly) {
  EXPECT_EQ(log_time_stamp("[2026-11-30 21:14:32 TP0] x"), "2026-11-30 21:14:32");
  EXPECT_EQ(log_time_stamp("[2026-11-30 21:14:32.123] x"), "2026-11-30 21:14:32");
  EXPECT_EQ(log_time_stamp("2026-11-30T21:14:32Z INFO"), "2026-11-30 21:14:32");
  EXPECT_EQ(log_time_stamp("at 2026-11-30 21:14:32"), "");
  EXPECT_EQ(log_time_stamp("2026-11-30"), "");
  EXPECT_EQ(log_time_stamp("2026/11/30 21:14:32"), "");
}

}  // namespace
}  // namespace sglexp
