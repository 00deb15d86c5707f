// SPDX-License-Identifier: Apache-2.0
// The main job through a real Slurm on this machine (fixtures/slurm_cluster), both ways of placement,
// and two failures. One cluster for all tests; it is taken down whatever happens to them.
#include <unistd.h>

#include <map>
#include <set>

#include "harness/base/text.h"
#include "harness/e2e/world.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kSkipped = 77;  // what ctest counts as skipped

std::string fixture(const std::string& command) {
  return std::string(SGLEXP_SOURCE_DIR) + "/fixtures/slurm_cluster/" + command;
}

// The cluster, its state directory, and a TaskProlog that prints what a test has put down for a node.
class RealCluster : public ::testing::Environment {
 public:
  void SetUp() override {
    const auto up = runner_.run({.argv = {fixture("up"), "2", state()}, .timeout = Seconds(120)});
    if (!up.ok() || up->status.code == 3) {
      std::cout << "real Slurm cannot run here: "
                << (up.ok() ? std::string(trim(up->err)) : up.error().message) << "\n";
      down();
      std::exit(kSkipped);
    }
    ASSERT_TRUE(up->status.success()) << up->out << up->err;
    const std::string conf = config();
    const std::string prolog = directory_.path() + "/prolog";
    ASSERT_TRUE(write_file_atomic(
                    prolog,
                    "#!/bin/sh\ncat \"" + prolog + ".$SLURMD_NODENAME\" 2>/dev/null\nexit 0\n",
                    0755)
                    .ok());
    const std::string text = read_file(conf).value() + "\nTaskProlog=" + prolog + "\n";
    ASSERT_TRUE(write_file_atomic(conf, text).ok());
    ASSERT_TRUE(slurm({"scontrol", "reconfigure"}).status.success());
  }
  void TearDown() override { down(); }

  [[nodiscard]] std::string state() const { return directory_.path() + "/cluster"; }
  [[nodiscard]] std::string config() const { return state() + "/etc/slurm.conf"; }
  [[nodiscard]] Completed slurm(std::vector<std::string> argv) {
    auto done = runner_.run(
        {.argv = std::move(argv), .env_set = {{"SLURM_CONF", config()}}, .timeout = Seconds(60)});
    EXPECT_TRUE(done.ok());
    return *done;
  }
  void export_in_tasks_of(const std::string& node, const std::string& lines) {
    ASSERT_TRUE(write_file_atomic(directory_.path() + "/prolog." + node, lines).ok());
  }
  void no_task_prolog(const std::string& node) {
    unlink((directory_.path() + "/prolog." + node).c_str());
  }

 private:
  void down() {
    const auto done = runner_.run({.argv = {fixture("down"), state()}, .timeout = Seconds(120)});
    EXPECT_TRUE(done.ok() && done->status.success())
        << (done.ok() ? done->err : done.error().message);
  }
  SystemProcessRunner runner_;
  TempDir directory_;
};

RealCluster* const kCluster =  // owned by GoogleTest
    static_cast<RealCluster*>(::testing::AddGlobalTestEnvironment(new RealCluster));

class RealSlurm : public World {
 protected:
  RealSlurm() { set_env("SLURM_CONF", kCluster->config()); }

  // Physical GPU indices by arm and node, as the store has them.
  static std::map<std::string, std::set<int>> placed(const json& run) {
    std::map<std::string, std::set<int>> gpus;
    for (const json& row : run["placement"]) {
      if (row["role"] == "worker") {
        gpus[row["arm"].get<std::string>() + " " + row["node"].get<std::string>()].insert(
            row["gpu_index"].get<int>());
        EXPECT_THAT(row["observed_gpus"].get<std::string>(),
                    HasSubstr(row["gpu_pci"].get<std::string>()));
      }
    }
    return gpus;
  }
};

TEST_F(RealSlurm, SelectsGpusOnWholeNodesAndGivesTheMocksVerdict) {
  const json run = run_json({"numa_compare", "--cluster", "slurm_fixture"});
  ASSERT_EQ(run["outcome"], "passed") << run["failure"];
  EXPECT_EQ(run["trials"].size(), 48U);
  EXPECT_EQ(run["jobs"].size(), 1U);
  EXPECT_THAT(run["simulated_why"].get<std::string>(), ::testing::Not(HasSubstr("mock")));
  int gates = 0;
  for (const json& comparison : run["comparisons"]) {
    if (comparison["gate"]) {
      ++gates;
      EXPECT_EQ(comparison["verdict"], "worse") << comparison;
      EXPECT_LT(comparison["ratio"], 0.97);
    }
  }
  EXPECT_EQ(gates, 3);
  const auto gpus = placed(run);
  for (const char* node : {"mi210-01", "mi210-02"}) {
    EXPECT_EQ(gpus.at(std::string("same_numa ") + node), (std::set<int>{0, 1, 2, 3}));
    EXPECT_EQ(gpus.at(std::string("cross_numa ") + node), (std::set<int>{0, 1, 4, 5}));
  }
}

TEST_F(RealSlurm, PlacementByRequestKnowsEachNodesOwnGpus) {
  const std::string hold = write_file("hold.sh", "#!/bin/sh\nexec sleep 600\n");
  const Completed held = kCluster->slurm({"sbatch", "--parsable", "--nodelist=mi210-01",
                                          "--ntasks=1", "--cpus-per-task=2", "--mem=1G",
                                          "--gres=gpu:mi210:2", "--output=/dev/null", hold});
  ASSERT_TRUE(held.status.success()) << held.err;
  const std::string holder(trim(held.out));
  ASSERT_TRUE(wait_for([&] {
    return kCluster->slurm({"squeue", "--noheader", "--states=running", "--format=%i"})
               .out.find(holder) != std::string::npos;
  }));
  const json run = run_json({"numa_compare_request", "--cluster", "slurm_fixture"});
  EXPECT_TRUE(kCluster->slurm({"scancel", holder}).status.success());
  ASSERT_EQ(run["outcome"], "passed") << run["failure"];
  const auto gpus = placed(run);
  EXPECT_EQ(gpus.at("same_numa mi210-01"), (std::set<int>{4, 5, 6, 7}));
  EXPECT_EQ(gpus.at("same_numa mi210-02"), (std::set<int>{0, 1, 2, 3}));
  EXPECT_EQ(gpus.at("cross_numa mi210-01"), (std::set<int>{2, 3, 4, 5}));
  EXPECT_EQ(gpus.at("cross_numa mi210-02"), (std::set<int>{0, 1, 4, 5}));
  for (const json& comparison : run["comparisons"]) {
    if (comparison["gate"]) {
      EXPECT_EQ(comparison["verdict"], "worse") << comparison;
    }
  }
  // What a script that trusts SLURM_JOB_GPUS would have used on the second node.
  const std::string job = run["paths"]["run_dir"].get<std::string>() + "/jobs/s00-" +
                          run["trials"][0]["arm"].get<std::string>();
  const json second = json::parse(read_file(job + "/nodes/mi210-02.json").value());
  EXPECT_NE(second["facts"]["env.SLURM_JOB_GPUS"], second["facts"]["env.SLURM_STEP_GPUS"]);
}

TEST_F(RealSlurm, ATaskPrologThatMasksTwiceIsCaughtOnItsNode) {
  kCluster->export_in_tasks_of(
      "mi210-02", "export ROCR_VISIBLE_DEVICES=4,5,6,7\nexport HIP_VISIBLE_DEVICES=4,5,6,7\n");
  const json run =
      run_json({"numa_compare", "--cluster", "slurm_fixture", "--set", "repeats.blocks=1"});
  kCluster->no_task_prolog("mi210-02");
  EXPECT_EQ(run["outcome"], "environment");
  EXPECT_EQ(run["failure"]["node"], "mi210-02");
  EXPECT_THAT(run["failure"]["evidence"].get<std::string>(),
              HasSubstr("HIP_VISIBLE_DEVICES=4,5,6,7"));
}

TEST_F(RealSlurm, AJobThatSomeoneElseCancelsIsCancelledAndLeavesNothing) {
  const auto child = start_sglexp({"run", "numa_compare", "--cluster", "slurm_fixture", "--set",
                                   "repeats.blocks=1", "--set", "load.points.c4.requests=400"},
                                  path() + "/out");
  const auto said = [&](const char* what) {
    const auto text = read_file(path() + "/out");
    return text.ok() && text->find(what) != std::string::npos;
  };
  ASSERT_TRUE(wait_for([&] { return said("slot 1/"); }));
  EXPECT_TRUE(kCluster->slurm({"scancel", "--user=root"}).status.success());
  ASSERT_TRUE(wait_for([&] { return child->poll().has_value(); }, Seconds(90)));
  EXPECT_EQ(child->poll()->code, 5) << read_file(path() + "/out").value();
  EXPECT_EQ(json::parse(sglexp({"show", "latest", "--json"}).out)["outcome"], "cancelled");
}

}  // namespace
}  // namespace sglexp
