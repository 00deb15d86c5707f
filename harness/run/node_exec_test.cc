// SPDX-License-Identifier: Apache-2.0
// With real children: `sh` plays the engine.
#include "harness/run/node_exec.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"
#include "harness/sys/network.h"
#include "harness/sys/proc_fs.h"
#include "harness/topology/topology.h"

namespace sglexp {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodeExec : public ::testing::Test {
 protected:
  void SetUp() override {
    // Stands for the program's own --guard: it becomes the engine as well.
    const std::string guard = "#!/bin/sh\nshift 4\nexec \"$@\"\n";
    ASSERT_TRUE(write_file_atomic(paths_.program, guard, 0755).ok());
  }

  // The engine: a script that finds this test's directory in $D.
  ExecSpec engine(const std::string& script) {
    return {
        .name = "w0",
        .node = "mi210-01",
        .run_token = "node-exec-test-" + std::to_string(getpid()),
        .topology_file = std::string(SGLEXP_SOURCE_DIR) + "/fixtures/topologies/mi210_2hives.json",
        .bind = false,
        .address = "127.0.0.1",
        .argv = {"sh", "-c", script},
        .env = {{"D", dir_.path()}},
        .cache_root = dir_.path() + "/cache",
        .status_file = dir_.path() + "/w0.status.json",
        .grace = Seconds(5)};
  }
  int exit_code_of(const ExecSpec& spec, bool watch_input = false) {
    StopRequest stop(signals_, watch_input);
    const auto code =
        node_exec(spec, {.runner = runner_, .clock = clock_, .stop = stop, .paths = paths_});
    EXPECT_TRUE(code.ok()) << code.error().message;
    return code.ok() ? *code : -1;
  }
  ExecStatus status() {
    const auto text = read_file(dir_.path() + "/w0.status.json");
    EXPECT_TRUE(text.ok()) << text.error().message;
    const auto parsed = parse_exec_status(text.ok() ? *text : "");
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    return parsed.ok() ? *parsed : ExecStatus{};
  }
  std::string file(const std::string& name) {
    return read_file(dir_.path() + "/" + name).ok() ? *read_file(dir_.path() + "/" + name) : "";
  }

  TempDir dir_;
  SystemProcessRunner runner_;
  SystemClock clock_;
  StopSignals signals_;
  InstallPaths paths_{.program = dir_.path() + "/guard"};
};

TEST_F(NodeExec, GivesTheEnginesExitCodeAndSaysHowItEnded) {
  EXPECT_EQ(exit_code_of(engine("exit 7")), 7);
  EXPECT_EQ(status().state, ExecState::kEnded);
  EXPECT_EQ(status().ended, "exit code 7");
  EXPECT_FALSE(status().stopped_by_us);
  EXPECT_EQ(status().leftovers, 0);
  EXPECT_GT(status().pid, 0);
}

TEST_F(NodeExec, ASignalIsToldAsAShellTellsIt) {
  EXPECT_EQ(exit_code_of(engine("kill -SEGV $$")), 128 + SIGSEGV);
  EXPECT_EQ(status().ended, "killed by signal 11 (SEGV)");
}

TEST_F(NodeExec, TheEngineGetsItsEnvironmentAndSeesItsGpus) {
  ExecSpec spec =
      engine("echo \"$HIP_VISIBLE_DEVICES $SGLEXP_OWNER\" > $D/out; test -d $TRITON_CACHE_DIR");
  // It lives until it has been looked at.
  spec.argv.back() += " && until [ -s " + spec.status_file + " ]; do :; done";
  const auto topology = load_recorded_topology(spec.topology_file);
  ASSERT_TRUE(topology.ok());
  spec.gpus = {topology->find_index(5)->pci, topology->find_index(4)->pci};
  EXPECT_EQ(exit_code_of(spec), 0);
  EXPECT_EQ(file("out"), "5,4 " + owner_value(spec.run_token) + "\n");
  EXPECT_EQ(status().observed_gpus, spec.gpus);
  EXPECT_FALSE(status().observed_cpus.empty());
  for (const CheckResult& check : status().checks) {
    EXPECT_EQ(check.node, "mi210-01");
    EXPECT_NE(check.verdict, CheckVerdict::kFail) << check.id;
  }
}

TEST_F(NodeExec, ARequiredCheckThatFailsStartsNothing) {
  ExecSpec spec = engine("echo started > $D/out");
  spec.ports = {ephemeral_ports().first};
  EXPECT_EQ(exit_code_of(spec), kExecRefused);
  EXPECT_EQ(file("out"), "");
  EXPECT_EQ(status().state, ExecState::kRefused);
  EXPECT_EQ(status().pid, 0);
  EXPECT_FALSE(path_exists(spec.cache_root));
  EXPECT_THAT(status().checks,
              Contains(::testing::Field(&CheckResult::verdict, CheckVerdict::kFail)));
}

TEST_F(NodeExec, ACheckThatIsOffLetsItStart) {
  ExecSpec spec = engine("echo started > $D/out");
  spec.ports = {ephemeral_ports().first};
  spec.levels["ports_free"] = CheckLevel::kOff;
  EXPECT_EQ(exit_code_of(spec), 0);
  EXPECT_EQ(file("out"), "started\n");
}

TEST_F(NodeExec, SigtermEndsTheEngineGently) {
  EXPECT_EQ(
      exit_code_of(engine("trap 'exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.01; done")),
      3);
  EXPECT_TRUE(status().stopped_by_us);
  EXPECT_EQ(status().ended, "exit code 3");
}

TEST_F(NodeExec, AnEngineThatIgnoresSigtermIsKilledAfterTheGrace) {
  ExecSpec spec = engine("trap '' TERM; kill -TERM $PPID; while :; do sleep 0.01; done");
  spec.grace = Millis(50);
  EXPECT_EQ(exit_code_of(spec), 128 + SIGKILL);
  EXPECT_TRUE(status().stopped_by_us);
}

TEST_F(NodeExec, TheEndOfInputEndsTheEngine) {
  // The engine itself opens the pipe's only writing end and closes it.
  const std::string fifo = dir_.path() + "/in";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_EQ(dup2(reader, STDIN_FILENO), STDIN_FILENO);
  const int code =
      exit_code_of(engine("trap 'exit 3' TERM; : > $D/in; while :; do sleep 0.01; done"), true);
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(reader);
  EXPECT_EQ(code, 3);
  EXPECT_TRUE(status().stopped_by_us);
}

TEST_F(NodeExec, LeavesNoDescendantEvenOutsideTheGroup) {
  const ExecSpec spec = engine(
      "setsid sh -c 'echo $$ > $D/pid; exec sleep 60' & "
      "while [ ! -s $D/pid ]; do sleep 0.01; done; exit 0");
  EXPECT_EQ(exit_code_of(spec), 0);
  EXPECT_EQ(status().leftovers, 1);
  EXPECT_THAT(processes_with_env(kOwnerVariable, owner_value(spec.run_token)), IsEmpty());
}

TEST_F(NodeExec, AnEngineThatDoesNotExistIsSaidInItsLogAndEnds) {
  ExecSpec spec = engine("");
  spec.argv = {dir_.path() + "/no-such-engine"};
  EXPECT_EQ(exit_code_of(spec), 127);
  EXPECT_EQ(status().state, ExecState::kEnded);
}

// What a forked child of this test becomes, and its exit code.
int exit_code_of_guarded(long parent, const std::vector<std::string>& argv) {
  const pid_t child = fork();
  if (child == 0) {
    const Error error = become_guarded(parent, argv);
    _exit(error.code == ErrorCode::kCancelled  ? 201
          : error.code == ErrorCode::kNotFound ? 202
                                               : 203);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Guard, BecomesTheProgram) {
  EXPECT_EQ(exit_code_of_guarded(getpid(), {"sh", "-c", "exit 9"}), 9);
}

TEST(Guard, StartsNothingForAParentThatIsGone) {
  EXPECT_EQ(exit_code_of_guarded(1, {"sh", "-c", "exit 9"}), 201);
}

TEST(Guard, SaysThatThereIsNoSuchProgram) {
  EXPECT_EQ(exit_code_of_guarded(getpid(), {"/no/such/program"}), 202);
}

}  // namespace
}  // namespace sglexp
