// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/exec_spec.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LogsOfARun : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::string path = dir_.file(file);
    ASSERT_TRUE(make_directories(path.substr(0, path.rfind('/'))).ok());
    ASSERT_TRUE(write_file_atomic(path, text).ok());
  }
  void SetUp() override { write("run.json", "{}"); }
  std::string logs(const std::string& node = "", int lines = 40) {
    const auto text = run_logs(dir_, node, lines);
    EXPECT_TRUE(text.ok()) << text.error().message;
    return text.ok() ? *text : "";
  }

  TempDir root_;
  RunDir dir_{root_.path()};
};

TEST_F(LogsOfARun, NothingYet) {
  EXPECT_EQ(logs(), "no log has been written yet\n");
}

TEST_F(LogsOfARun, ADirectoryThatIsGoneIsAnError) {
  const auto text = run_logs(RunDir(root_.path() + "/gone"), "", 1);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kNotFound);
}

TEST_F(LogsOfARun, LastLinesOfEachUnderItsName) {
  write("jobs/shared/batch.log", "a\nb\n\nc\n");
  write("jobs/shared/nodes/n1.probe.log", "only\n");
  EXPECT_EQ(logs("", 2),
            "==> jobs/shared/batch.log <==\n\nc\n\n"
            "==> jobs/shared/nodes/n1.probe.log <==\nonly\n\n");
  EXPECT_EQ(logs("", 1),
            "==> jobs/shared/batch.log <==\nc\n\n"
            "==> jobs/shared/nodes/n1.probe.log <==\nonly\n\n");
  EXPECT_THAT(logs("", 0), HasSubstr("<==\na\nb\n\nc\n"));
  EXPECT_THAT(logs("", 400), HasSubstr("<==\na\nb\n\nc\n"));
}

TEST_F(LogsOfARun, KeepIndentation) {
  write("jobs/shared/batch.log", "Traceback\n  File \"x\"\n    raise\n");
  EXPECT_THAT(logs("", 2), HasSubstr("<==\n  File \"x\"\n    raise\n"));
}

TEST_F(LogsOfARun, HostileBytesAreMadeHarmless) {
  write("jobs/shared/batch.log", "red \x1b[31m \x07 \xff bell\n" + std::string(5000, 'x') + "\n");
  const std::string text = logs();
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_LT(text.size(), 1300U);
}

TEST_F(LogsOfARun, OnlyOneNode) {
  write("jobs/shared/batch.log", "batch\n");
  write("jobs/shared/nodes/n1.probe.log", "probe of one\n");
  write("jobs/shared/nodes/n10.probe.log", "probe of ten\n");
  write("slots/s00-a/w0.log", "worker on one\n");
  write("slots/s00-a/w0.exec.json", exec_spec_to_json({.name = "w0", .node = "n1"}));
  write("slots/s00-a/w1.log", "worker on ten\n");
  write("slots/s00-a/w1.exec.json", exec_spec_to_json({.name = "w1", .node = "n10"}));
  const std::string text = logs("n1");
  EXPECT_THAT(text, HasSubstr("probe of one"));
  EXPECT_THAT(text, HasSubstr("worker on one"));
  EXPECT_THAT(text, Not(HasSubstr("of ten")));
  EXPECT_THAT(text, Not(HasSubstr("on ten")));
}

TEST_F(LogsOfARun, TheNodeIsStillKnownOnceTheSpecIsGone) {
  write("slots/s00-a/w0.log", "worker on one\n");
  write("slots/s00-a/w0.status.json", exec_status_to_json({.checks = {{.node = "n1"}}}));
  EXPECT_THAT(logs("n1"), HasSubstr("worker on one"));
  EXPECT_THAT(logs("n2"), Not(HasSubstr("worker on one")));
}

TEST_F(LogsOfARun, ANodeWithoutLogsIsNamed) {
  EXPECT_EQ(logs("n\x1b[7m"), "no log of node 'n?[7m'\n");
}

TEST_F(LogsOfARun, OfTheNewestSlotAlone) {
  write("slots/s99-a/w0.log", "old\n");
  write("slots/s100-a/w0.log", "new\n");
  EXPECT_THAT(logs(), StartsWith("==> slots/s100-a/w0.log <==\nnew"));
  EXPECT_THAT(logs(), Not(HasSubstr("old")));
}

}  // namespace
}  // namespace sglexp
