// SPDX-License-Identifier: Apache-2.0
// What the command line itself refuses or answers; commands are tested by harness/e2e.
#include "harness/cli/app.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/console.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Said {
  ExitCode code = ExitCode::kOk;
  std::string out;
  std::string err;
};

Said say(std::vector<std::string> words) {
  words.insert(words.begin(), "sglexp");
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Said said;
  said.code = run_app(static_cast<int>(words.size()), argv.data());
  said.out = testing::internal::GetCapturedStdout();
  said.err = testing::internal::GetCapturedStderr();
  return said;
}

TEST(CommandLine, HelpIsAnAnswerNotAnError) {
  const Said said = say({"--help"});
  EXPECT_EQ(said.code, ExitCode::kOk);
  EXPECT_THAT(said.out, AllOf(HasSubstr("run"), HasSubstr("attach"), HasSubstr("Exit codes: 0")));
  EXPECT_THAT(said.out, Not(HasSubstr("node-exec")));  // people do not call it
}

TEST(CommandLine, Version) {
  EXPECT_THAT(say({"--version"}).out, HasSubstr("sglexp 0."));
}

TEST(CommandLine, WithoutACommandItIsUsage) {
  EXPECT_EQ(say({}).code, ExitCode::kUsage);
}

TEST(CommandLine, UnknownWordsAreUsage) {
  EXPECT_EQ(say({"rnu", "x"}).code, ExitCode::kUsage);
  EXPECT_EQ(say({"run", "numa_compare", "--no-such-flag"}).code, ExitCode::kUsage);
  EXPECT_EQ(say({"run", "x", "--fail-on", "everything"}).code, ExitCode::kUsage);
  EXPECT_EQ(say({"logs", "--lines", "-1"}).code, ExitCode::kUsage);
  EXPECT_EQ(say({"clean"}).code, ExitCode::kUsage);
}

TEST(CommandLine, ReadingWithoutADatabaseIsUsageAndSaysWhere) {
  const Said said = say({"show", "latest", "--db", "/nonexistent/sglexp.db"});
  EXPECT_EQ(said.code, ExitCode::kUsage);
  EXPECT_THAT(said.err, HasSubstr("/nonexistent/sglexp.db"));
  EXPECT_EQ(said.out, "");
}

TEST(CommandLine, AnAgeWithoutAUnitIsUsage) {
  const Said said = say({"clean", "--older-than", "30", "--db", "/nonexistent/sglexp.db"});
  EXPECT_EQ(said.code, ExitCode::kUsage);
  EXPECT_THAT(said.err, HasSubstr("30"));
}

TEST(CommandLine, ANodeCommandWithoutItsSpecIsUsage) {
  EXPECT_EQ(say({"node-exec"}).code, ExitCode::kUsage);
  EXPECT_EQ(say({"probe", "--spec", "/nonexistent.json"}).code, ExitCode::kUsage);
  EXPECT_EQ(say({"node-exec", "--guard", "1", "--", "true"}).code, ExitCode::kInfrastructure);
}

struct CodeCase {
  ErrorCode error;
  ExitCode exit;
};
class ErrorExit : public ::testing::TestWithParam<CodeCase> {};

TEST_P(ErrorExit, FollowsWhatTheCallerMayDo) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(report_error({GetParam().error, "what happened"}), GetParam().exit);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "sglexp: what happened\n");
}

INSTANTIATE_TEST_SUITE_P(
    Codes, ErrorExit,
    ::testing::Values(CodeCase{ErrorCode::kInvalidInput, ExitCode::kUsage},
                      CodeCase{ErrorCode::kNotFound, ExitCode::kUsage},
                      CodeCase{ErrorCode::kUnavailable, ExitCode::kInfrastructure},
                      CodeCase{ErrorCode::kTimedOut, ExitCode::kInfrastructure},
                      CodeCase{ErrorCode::kInternal, ExitCode::kInfrastructure}));

}  // namespace
}  // namespace sglexp
