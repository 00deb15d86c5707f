// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/clock.h"
#include "harness/sys/files.h"
#include "harness/sys/install_paths.h"
#include "harness/sys/network.h"
#include "harness/sys/proc_fs.h"
#include "harness/sys/process.h"
#include "harness/sys/signals.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Process : public ::testing::Test {
 protected:
  SystemProcessRunner runner_;
  SystemClock clock_;
};

TEST_F(Process, CapturesBothStreamsAndTheExitCode) {
  const auto done = runner_.run({.argv = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->out, "out\n");
  EXPECT_EQ(done->err, "err\n");
  EXPECT_EQ(done->status.code, 3);
  EXPECT_FALSE(done->timed_out);
}

TEST_F(Process, KeepsAllOfALargeOutput) {
  const auto done =
      runner_.run({.argv = {"sh", "-c", "head -c 3000000 /dev/zero; head -c 100 /dev/zero >&2"}});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->out.size(), 3'000'000U);
  EXPECT_EQ(done->err.size(), 100U);
}

TEST_F(Process, FeedsStandardInputAndSurvivesAReaderThatDoesNotCare) {
  EXPECT_EQ(runner_.run({.argv = {"cat"}, .stdin_text = "hello"})->out, "hello");
  EXPECT_TRUE(
      runner_.run({.argv = {"true"}, .stdin_text = std::string(1 << 20, 'x')})->status.success());
}

TEST_F(Process, SetsUnsetsAndClearsTheEnvironment) {
  const auto done = runner_.run(
      {.argv = {"env"}, .clear_env = true, .env_set = {{"PATH", "/usr/bin:/bin"}, {"A", "b c"}}});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->out, "PATH=/usr/bin:/bin\nA=b c\n");
  setenv("SGLEXP_TEST_LEAK", "1", 1);
  const auto unset = runner_.run({.argv = {"env"}, .env_unset = {"SGLEXP_TEST_LEAK"}});
  EXPECT_THAT(unset->out, Not(HasSubstr("SGLEXP_TEST_LEAK")));
  unsetenv("SGLEXP_TEST_LEAK");
}

TEST_F(Process, FindsProgramsOnTheChildsOwnPath) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomic(dir.path() + "/sinfo", "#!/bin/sh\necho mine\n", 0755).ok());
  const auto done =
      runner_.run({.argv = {"sinfo"}, .env_set = {{"PATH", dir.path() + ":/usr/bin:/bin"}}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->out, "mine\n");
}

TEST_F(Process, SaysThatAProgramDoesNotExist) {
  const auto missing = runner_.run({.argv = {"no-such-program-here"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("no-such-program-here"));
}

TEST_F(Process, KillsTheWholeGroupOnTimeout) {
  const TempDir dir;
  const auto done =
      runner_.run({.argv = {"sh", "-c", "sleep 60 & echo $! > " + dir.path() + "/pid; wait"},
                   .timeout = Millis(200)});
  ASSERT_TRUE(done.ok());
  EXPECT_TRUE(done->timed_out);
  EXPECT_EQ(done->status.signal, SIGKILL);
  const pid_t grandchild = std::stoi(read_file(dir.path() + "/pid").value());
  const auto state = process_status_field(grandchild, "State");
  EXPECT_TRUE(!state || state->starts_with("Z") || kill(grandchild, 0) != 0);
}

TEST_F(Process, DoesNotWaitForAGrandchildThatHoldsThePipe) {
  const auto done =
      runner_.run({.argv = {"sh", "-c", "sleep 30 & echo $!"}, .timeout = Seconds(20)});
  ASSERT_TRUE(done.ok());
  EXPECT_FALSE(done->timed_out);
  kill(std::stoi(done->out), SIGKILL);
}

TEST_F(Process, AppendsToOneFileAndStopsAStubbornChild) {
  const TempDir dir;
  const std::string log = dir.path() + "/log";
  auto child = runner_.start(
      {.argv = {"sh", "-c", "trap '' TERM; echo up; echo err >&2; while :; do sleep 1; done"},
       .stdout_path = log,
       .stderr_path = log});
  ASSERT_TRUE(child.ok());
  while (read_file(log).ok() && read_file(log)->find("err") == std::string::npos) {
    clock_.sleep_for(Millis(1));
  }
  const auto ended = stop_child(**child, clock_, Millis(50), SIGTERM);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->describe(), "killed by signal 9 (KILL)");
  EXPECT_EQ(read_file(log).value(), "up\nerr\n");
}

TEST_F(Process, HoldsStandardInputUntilItIsClosed) {
  const TempDir dir;
  auto child = runner_.start({.argv = {"sh", "-c", "cat; echo over"},
                              .hold_stdin = true,
                              .stdout_path = dir.path() + "/log"});
  ASSERT_TRUE(child.ok());
  auto other = runner_.start({.argv = {"sleep", "60"}});  // must not hold the pipe open
  EXPECT_FALSE((*child)->poll());
  (*child)->close_stdin();
  while (!(*child)->poll()) {
    clock_.sleep_for(Millis(1));
  }
  EXPECT_EQ(read_file(dir.path() + "/log").value(), "over\n");
}

TEST(Files, AtomicWriteReplacesAndKeepsTheOldOneOnFailure) {
  const TempDir dir;
  const std::string path = dir.path() + "/a";
  ASSERT_TRUE(write_file_atomic(path, "one").ok());
  ASSERT_TRUE(write_file_atomic(path, "two").ok());
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_FALSE(write_file_atomic(dir.path() + "/none/a", "x").ok());
  EXPECT_EQ(read_file(dir.path() + "/b").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_file_from(path, 1).value(), "wo");
  EXPECT_EQ(read_file_from(path, 99).value(), "");
  EXPECT_FALSE(read_file(path, 2).ok());
}

TEST(Files, RemoveTreeStaysBelowItsRoot) {
  const TempDir dir;
  const TempDir outside;
  ASSERT_TRUE(make_directories(dir.path() + "/x/y/z").ok());
  ASSERT_TRUE(make_directories(dir.path() + "/x/y/z").ok());
  ASSERT_TRUE(write_file_atomic(outside.path() + "/keep", "k").ok());
  ASSERT_EQ(symlink(outside.path().c_str(), (dir.path() + "/x/link").c_str()), 0);
  EXPECT_FALSE(remove_tree(dir.path(), dir.path()).ok());
  EXPECT_FALSE(remove_tree(dir.path() + "/../elsewhere", dir.path()).ok());
  EXPECT_FALSE(remove_tree(dir.path() + "/x/link/keep", dir.path()).ok());
  EXPECT_TRUE(remove_tree(dir.path() + "/x", dir.path()).ok());
  EXPECT_TRUE(path_exists(outside.path() + "/keep"));
  EXPECT_FALSE(path_exists(dir.path() + "/x"));
}

TEST(Network, SeesAPortThatIsTaken) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  EXPECT_THAT(port_problem("127.0.0.1", ntohs(address.sin_port)), HasSubstr("in use"));
  close(fd);
  EXPECT_THAT(port_problem("127.0.0.1", ntohs(address.sin_port)), IsEmpty());
  EXPECT_THAT(port_problem("not an address", 1), HasSubstr("not an address"));
}

TEST(Network, ResolvesLiteralsToThemselves) {
  EXPECT_THAT(resolve("127.0.64.1").value(), ::testing::ElementsAre("127.0.64.1"));
  EXPECT_EQ(resolve("no-such-host.invalid").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(is_loopback("127.0.64.1"));
  EXPECT_FALSE(is_loopback("10.0.0.1"));
}

TEST(ProcFs, FindsAndSignalsOnlyTheMarkedProcess) {
  SystemProcessRunner runner;
  SystemClock clock;
  const std::string token = "t" + std::to_string(getpid());
  auto child = runner.start({.argv = {"sleep", "60"}, .env_set = {{"SGLEXP_TEST_TOKEN", token}}});
  ASSERT_TRUE(child.ok());
  std::vector<ProcessInfo> found;
  while (found.empty()) {  // between fork and exec the environment is still ours
    found = processes_with_env("SGLEXP_TEST_TOKEN", token);
  }
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, (*child)->pid());
  EXPECT_EQ(process_environment(found[0].pid)->at("SGLEXP_TEST_TOKEN"), token);
  ProcessInfo reused = found[0];
  reused.start_ticks += 1;
  EXPECT_FALSE(signal_process(reused, SIGKILL));
  EXPECT_TRUE(signal_process(found[0], SIGKILL));
  while (!(*child)->poll()) {
    clock.sleep_for(Millis(1));
  }
  EXPECT_THAT(processes_with_env("SGLEXP_TEST_TOKEN", token), IsEmpty());
}

TEST(StopSignalsTest, CountsAndRestores) {
  {
    const StopSignals signals;
    raise(SIGINT);
    raise(SIGINT);
    raise(SIGTERM);
    EXPECT_EQ(signals.interrupts(), 2);
    EXPECT_EQ(signals.terminations(), 1);
  }
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST(ClockTest, WritesUtcWithMilliseconds) {
  EXPECT_EQ(
      utc_text(std::chrono::system_clock::time_point(std::chrono::milliseconds(1'000'000'000'123))),
      "2001-09-09T01:46:40.123Z");
}

TEST(InstallPathsTest, AreRelativeToTheProgram) {
  const auto paths = find_install_paths();
  ASSERT_TRUE(paths.ok());
  EXPECT_THAT(paths->libexec, ::testing::EndsWith("/libexec/sglexp"));
}

}  // namespace
}  // namespace sglexp
