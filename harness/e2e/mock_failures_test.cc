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
  // An environment line that makes the fake engine or router misbehave.
  std::string faults(const std::string& variable, const std::string& script) {
    return "      " + variable + ": " + write_file(variable + ".json", script) + "\n";
  }
  void expect_short_summary() {
    // The same failure, told on the terminal: what, where, cause, remedy, files, in 15 lines.
    const std::string text = sglexp({"attach", "latest"}).out;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 15) << text;
    for (const char* part :
         {"\nwhat ", "\nwhere ", "\ncause ", "\nremedy ", "\nfiles ", "SIMULATED"}) {
      EXPECT_THAT(text, HasSubstr(part));
    }
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
  task_prolog_on_second_node(
      {{"ROCR_VISIBLE_DEVICES", "4,5,6,7"}, {"HIP_VISIBLE_DEVICES", "4,5,6,7"}});
  const json run = failing_run("mock");
  EXPECT_EQ(run["outcome"], "environment");
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_EQ(run["failure"]["node"], "mi210-02");
  EXPECT_THAT(run["failure"]["cause"].get<std::string>(), HasSubstr("observed 0 GPUs"));
  EXPECT_THAT(run["failure"]["evidence"].get<std::string>(),
              HasSubstr("HIP_VISIBLE_DEVICES=4,5,6,7"));
  EXPECT_THAT(run["failure"]["remedy"].get<std::string>(), HasSubstr("_VISIBLE_DEVICES"));
  expect_short_summary();
}

TEST_F(MockFailures, ARouterThatCountsOneWorkerTooFewIsNotReady) {
  const std::string profile = profile_with_env(
      "sglang_router", faults("FAKE_ROUTER_FAULTS", R"({"report_one_worker_too_few": true})"));
  const json run = run_json({"numa_compare", "--cluster", profile, "--set", "repeats.blocks=1",
                             "--set", "deadlines.ready=5s"});
  EXPECT_EQ(run["outcome"], "unhealthy") << run["failure"];
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_THAT(run["failure"]["cause"].get<std::string>(), HasSubstr("1"));
  EXPECT_FALSE(run["failure"]["node"].get<std::string>().empty());
}

TEST_F(MockFailures, OutOfMemoryDuringStartupIsAStartupFailureWithTheCausalLine) {
  const std::string profile = profile_with_env(
      "sglang", faults("FAKE_ENGINE_FAULTS", R"({"oom_at_load": true, "node": "mi210-02"})"));
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
      profile_with_env("sglang", faults("FAKE_ENGINE_FAULTS", R"({"stream_cut_after_tokens": 5})"));
  const json run = run_json({"numa_compare", "--cluster", profile, "--set", "repeats.blocks=1"});
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_THAT(run["outcome"].get<std::string>(), AnyOf("load_failed", "unhealthy", "startup"));
  EXPECT_TRUE(run["comparisons"].empty() || run["comparisons"][0]["verdict"] == "no_data")
      << run["comparisons"];
}

TEST_F(MockFailures, AStaleServerOnThePortIsNotMistakenForOurs) {
  const std::string profile =
      profile_with_env("sglang", faults("FAKE_ENGINE_FAULTS", R"({"wrong_seed": true})"));
  const json run = failing_run(profile);
  EXPECT_EQ(run["exit_code"], 4);
  EXPECT_EQ(run["outcome"], "startup") << run["failure"];
  EXPECT_THAT(run["failure"].dump(), HasSubstr("random_seed"));
}

}  // namespace
}  // namespace sglexp
