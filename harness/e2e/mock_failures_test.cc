// SPDX-License-Identifier: Apache-2.0
// What goes wrong on a cluster, each with its own outcome, exit code, node, cause and remedy; and
// nothing left behind after any of it (World::TearDown).
#include <signal.h>

#include "harness/e2e/world.h"
#include "harness/sys/network.h"
#include "harness/sys/proc_fs.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class MockFailures : public World {
 protected:
  // One slot is enough to fail in.
  json failing_run(const std::string& profile) {
    const json run = run_json({"numa_compare", "--cluster", profile, "--set", "repeats.blocks=1"});
    EXPECT_TRUE(run.contains("failure") && run["failure"].is_object())
        << run.dump(2).substr(0, 2000);
    return run;
  }
  void expect_short_summary() {
    // The same failure, told on the terminal: what, where, cause, remedy, files, in 15 lines.
    const std::string text = sglexp({"show", "latest"}).out;
    const std::size_t at = text.find("FAILED");
    ASSERT_NE(at, std::string::npos) << text;
  }
};

TEST_F(MockFailures, AWorkerKilledUnderLoadIsUnhealthyAndNamed) {
  const std::string log = path() + "/out";
  const auto child = start_sglexp({"run", "numa_compare", "--cluster", "mock", "--json", "--set",
                                   "repeats.blocks=1", "--set", "load.points.c4.requests=400"},
                                  log);
  // The first load point is under way: kill the engine process on the second node.
  std::vector<ProcessInfo> workers;
  const auto find_second_worker = [&] {
    for (const ProcessInfo& process : processes()) {
      if (process.command.find("fake_engine worker") != std::string::npos &&
          process.command.find("node-exec") == std::string::npos &&
          process_environment(process.pid).ok() &&
          process_environment(process.pid)->contains("SLURMD_NODENAME") &&
          process_environment(process.pid)->at("SLURMD_NODENAME") == "mi210-02") {
        workers = {process};
      }
    }
    return !workers.empty();
  };
  const auto load_started = [&] {
    for (const ProcessInfo& process : processes()) {
      if (process.command.find("load-exec") != std::string::npos) {
        return true;
      }
    }
    return false;
  };
  ASSERT_TRUE(wait_for([&] { return load_started() && find_second_worker(); }));
  ASSERT_TRUE(signal_process(workers[0], SIGKILL));
  ASSERT_TRUE(wait_for([&] { return child->poll().has_value(); }, Seconds(60)));
  EXPECT_EQ(child->poll()->code, 4);
  const json run = json::parse(sglexp({"show", "latest", "--json"}).out);
  EXPECT_THAT(run["outcome"].get<std::string>(), AnyOf("unhealthy", "load_failed"));
  EXPECT_EQ(run["failure"]["node"], "mi210-02") << run["failure"];
  EXPECT_THAT(run["failure"]["what"].get<std::string>(), HasSubstr("killed by signal 9"));
  EXPECT_FALSE(run["failure"]["remedy"].get<std::string>().empty());
  expect_short_summary();
}

TEST_F(MockFailures, PhysicalIdsInBothMasksOfOneNodeFailTheEnvironment) {
  const json run = failing_run(
      profile_with_task_prolog({{"ROCR_VISIBLE_DEVICES", "4,5,6,7"}, {"HIP_VISIBLE_DEVICES", "4,5,6,7"}}));
  EXPECT_EQ(run["outcome"], "environment");
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_EQ(run["failure"]["node"], "mi210-02");
  EXPECT_THAT(run["failure"]["cause"].get<std::string>(), HasSubstr("HIP_VISIBLE_DEVICES"));
  EXPECT_THAT(run["failure"]["remedy"].get<std::string>(), HasSubstr("HIP_VISIBLE_DEVICES"));
  expect_short_summary();
}

TEST_F(MockFailures, ARouterThatCountsOneWorkerTooFewIsNotReady) {
  const std::string profile = profile_with_env(
      "sglang_router", "      FAKE_ROUTER_FAULTS: '{\"report_one_worker_too_few\": true}'\n");
  const json run = run_json({"numa_compare", "--cluster", profile, "--set", "repeats.blocks=1",
                             "--set", "deadlines.ready=5s"});
  EXPECT_EQ(run["outcome"], "unhealthy") << run["failure"];
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_THAT(run["failure"]["cause"].get<std::string>(), HasSubstr("1"));
  EXPECT_FALSE(run["failure"]["node"].get<std::string>().empty());
}

TEST_F(MockFailures, OutOfMemoryDuringStartupIsAStartupFailureWithTheCausalLine) {
  const std::string profile = profile_with_env(
      "sglang", "      FAKE_ENGINE_FAULTS: '{\"oom_at_load\": true, \"node\": \"mi210-02\"}'\n");
  const json run = failing_run(profile);
  EXPECT_EQ(run["outcome"], "startup") << run["failure"];
  EXPECT_EQ(run["failure"]["node"], "mi210-02");
  EXPECT_THAT(run["failure"]["evidence"].get<std::string>(), HasSubstr("out of memory"));
}

TEST_F(MockFailures, AnUnknownEngineFlagIsAStartupFailure) {
  const json run = run_json({"numa_compare", "--cluster", "mock", "--set", "repeats.blocks=1",
                             "--set", "engine.args.no-such-flag=1"});
  EXPECT_EQ(run["outcome"], "startup") << run["failure"];
  EXPECT_THAT(run["failure"]["evidence"].get<std::string>(), HasSubstr("unrecognized arguments"));
}

TEST_F(MockFailures, AStreamThatIsCutFailsTheLoad) {
  const std::string profile =
      profile_with_env("sglang", "      FAKE_ENGINE_FAULTS: '{\"stream_cut_after_tokens\": 5}'\n");
  const json run = run_json({"numa_compare", "--cluster", profile, "--set", "repeats.blocks=1"});
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_THAT(run["outcome"].get<std::string>(), AnyOf("load_failed", "unhealthy", "startup"));
  EXPECT_TRUE(run["comparisons"].empty() || run["comparisons"][0]["verdict"] == "no_data")
      << run["comparisons"];
}

TEST_F(MockFailures, AStaleServerOnThePortIsNotMistakenForOurs) {
  const std::string profile =
      profile_with_env("sglang", "      FAKE_ENGINE_FAULTS: '{\"wrong_seed\": true}'\n");
  const json run = failing_run(profile);
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_EQ(run["outcome"], "unhealthy") << run["failure"];
  EXPECT_THAT(run["failure"].dump(), HasSubstr("random_seed"));
}

}  // namespace
}  // namespace sglexp
