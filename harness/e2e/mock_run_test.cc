// SPDX-License-Identifier: Apache-2.0
// The main job on mock Slurm, from the command line to the verdict.
#include "harness/base/text.h"
#include "harness/e2e/world.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class MockRun : public World {
 protected:
  // What the fake engine's own performance model says about this load point: candidate / base.
  double model_ratio(int concurrency) {
    const std::string build = SGLEXP_BUILD_DIR;
    const auto done =
        runner_.run({.argv = {build + "/libexec/sglexp/fake_engine", "explain", "--topology",
                              build + "/share/sglexp/fixtures/topologies/mi210_2hives.json", "--tp",
                              "4", "--gpus-a", "0,1,2,3", "--gpus-b", "0,1,4,5", "--concurrency",
                              std::to_string(concurrency), "--workers", "2", "--prompt-tokens",
                              "128", "--output-tokens", "32"}});
    const json model = json::parse(done->out, nullptr, false);
    EXPECT_TRUE(model.is_object()) << done->out << done->err;
    return model["closed_loop"][0]["throughput_ratio"];
  }
};

TEST_F(MockRun, FindsThePenaltyOfCrossNumaPlacement) {
  const json run = run_json({"numa_compare", "--cluster", "mock"});
  EXPECT_EQ(run["outcome"], "passed");
  EXPECT_EQ(run["exit_code"], 0);
  EXPECT_EQ(run["simulated"], true);
  EXPECT_EQ(run["trials"].size(), 48U);
  int gates = 0;
  for (const json& comparison : run["comparisons"]) {
    if (!comparison["gate"]) {
      continue;
    }
    ++gates;
    EXPECT_EQ(comparison["metric"], "output_tok_s");
    EXPECT_EQ(comparison["base_arm"], "same_numa");
    EXPECT_EQ(comparison["arm"], "cross_numa");
    EXPECT_EQ(comparison["n"], 8);
    EXPECT_EQ(comparison["verdict"], "worse") << comparison;
    EXPECT_LT(comparison["ratio"], 1.0);
    const int concurrency = std::stoi(comparison["load_point"].get<std::string>().substr(1));
    const double expected = model_ratio(concurrency);
    EXPECT_GE(expected, comparison["ci_low"].get<double>() * 0.99) << comparison;
    EXPECT_LE(expected, comparison["ci_high"].get<double>() * 1.01) << comparison;
  }
  EXPECT_EQ(gates, 3);
  for (const json& sanity : run["output_sanity"]) {
    EXPECT_EQ(sanity["equal"], sanity["pairs"]);
    EXPECT_EQ(sanity["pairs"], 8);
  }
}

TEST_F(MockRun, IdenticalArmsAreNeverWorse) {
  // One seed by default; ci/test --full names ten.
  const char* seeds = std::getenv("SGLEXP_AA_SEEDS");
  for (const std::string& seed : split(seeds != nullptr ? seeds : "1", ',')) {
    const json run = run_json({"aa_control", "--cluster", "mock", "--set", "repeats.seed=" + seed});
    EXPECT_EQ(run["exit_code"], 0);
    for (const json& comparison : run["comparisons"]) {
      if (comparison["gate"]) {
        EXPECT_TRUE(comparison["verdict"] == "no_change" || comparison["verdict"] == "inconclusive")
            << comparison;
      }
    }
  }
}

TEST_F(MockRun, StoresWhatItDidAndShowsItAgain) {
  const json run = run_json({"numa_compare", "--cluster", "mock", "--set", "repeats.blocks=1"});
  ASSERT_EQ(run["outcome"], "passed") << run.dump(2).substr(0, 3000);
  const std::string id = run["run"];
  EXPECT_THAT(sglexp({"runs"}).out, HasSubstr("numa_compare"));
  EXPECT_THAT(sglexp({"show", id.substr(0, 8)}).out, HasSubstr("cross_numa"));
  EXPECT_THAT(sglexp({"show", id, "--markdown"}).out, HasSubstr("| "));
  EXPECT_EQ(json::parse(sglexp({"show", "latest", "--json"}).out)["run"], id);
  EXPECT_THAT(sglexp({"status", id}).out, HasSubstr("trials 6 of 6"));
  EXPECT_THAT(sglexp({"logs", id, "--node", "mi210-02", "--lines", "0"}).out,
              HasSubstr("fired up"));
  EXPECT_THAT(sglexp({"runs", "--active"}).out, ::testing::Not(HasSubstr(id.substr(0, 8))));
  // The placement that was verified stands beside every number.
  for (const json& placed : run["placement"]) {
    if (placed["role"] == "worker") {
      EXPECT_THAT(placed["observed_gpus"].get<std::string>(),
                  HasSubstr(placed["gpu_pci"].get<std::string>()));
    }
  }
}

TEST_F(MockRun, ChecksOnlyScenarioMeasuresNothingAndSaysSo) {
  const json run = run_json({"env_smoke", "--cluster", "mock"});
  EXPECT_EQ(run["exit_code"], 0) << run.dump(2).substr(0, 2000);
  EXPECT_EQ(run["trials"].size(), 0U);
}

}  // namespace
}  // namespace sglexp
