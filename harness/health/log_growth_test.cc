// SPDX-License-Identifier: Apache-2.0
#include "harness/health/log_growth.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "harness/sys/files.h"

namespace sglexp {
namespace {

class LogGrowthOfFiles : public ::testing::Test {
 protected:
  void append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  TempDir dir_;
  std::string path_ = dir_.path() + "/w0.log";
};

TEST_F(LogGrowthOfFiles, NewLinesAreProgressOnce) {
  LogGrowth growth({path_});
  EXPECT_FALSE(growth.advanced());  // no file yet
  append("Load weight begin.\n");
  EXPECT_TRUE(growth.advanced());
  EXPECT_FALSE(growth.advanced());
  append("Load weight end.\n");
  EXPECT_TRUE(growth.advanced());
}

TEST_F(LogGrowthOfFiles, AccessLinesOfOurOwnPollingAreNot) {
  LogGrowth growth({path_});
  append("INFO:     127.0.0.1:5 - \"GET /health HTTP/1.1\" 503 Service Unavailable\n");
  append("INFO http_request{method=GET uri=/workers version=HTTP/1.1}: finished\n\n");
  EXPECT_FALSE(growth.advanced());
  append("INFO:     127.0.0.1:5 - \"GET /health HTTP/1.1\" 503\nCapture cuda graph begin.\n");
  EXPECT_TRUE(growth.advanced());
}

TEST_F(LogGrowthOfFiles, AProgressBarWithoutLineEndsIsProgress) {
  LogGrowth growth({path_});
  append("Loading shards:   3%");
  EXPECT_TRUE(growth.advanced());
  append("\rLoading shards:  10%");
  EXPECT_TRUE(growth.advanced());
}

TEST_F(LogGrowthOfFiles, AnyOfSeveralLogsCounts) {
  LogGrowth growth({dir_.path() + "/missing.log", path_, ""});
  append("x\n");
  EXPECT_TRUE(growth.advanced());
  EXPECT_FALSE(growth.advanced());
}

}  // namespace
}  // namespace sglexp
