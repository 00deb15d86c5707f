// SPDX-License-Identifier: Apache-2.0
#include "harness/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/launch/gold_file.h"

namespace sglexp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

const std::string kScenarios = std::string(SGLEXP_SOURCE_DIR) + "/scenarios/";
const InstallPaths kPaths = {"/opt/sglexp/bin/sglexp", "/opt/sglexp/libexec/sglexp",
                             "/opt/sglexp/share/sglexp"};

Scenario scenario(const std::string& name = "numa_compare",
                  const std::vector<std::string>& overrides = {}) {
  auto loaded = load_scenario(kScenarios + name + ".yaml", {.overrides = overrides});
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return std::move(loaded).value();
}

ClusterProfile profile(const std::string& name = "mock",
                       const std::vector<std::string>& overrides = {}) {
  auto loaded = load_cluster_profile(kScenarios + "clusters/" + name + ".yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return std::move(loaded).value();
}

BatchJob shared_job() {
  return {.run_dir = "/shared/runs/20260101-numa_compare-ab12",
          .job_name = "shared",
          .run_token = "ab12cd34ef56"};
}

Placement two_workers() {
  return {.workers = {{.name = "w0", .node = "mi210-01", .address = "127.0.64.1", .port = 20010},
                      {.name = "w1", .node = "mi210-02", .address = "127.0.64.2", .port = 20010}},
          .services = {{.name = "router",
                        .node = "mi210-01",
                        .address = "127.0.64.1",
                        .port = 20000,
                        .metrics_port = 20001},
                       {.name = "load", .node = "mi210-01", .address = "127.0.64.1"}}};
}

TEST(WorkerCommand, IsSglangsOwn) {
  const Scenario two = scenario();
  const auto command =
      worker_command(two, two.arms[1], profile(), kPaths, two_workers().workers[1], 1742440010);
  ASSERT_TRUE(command.ok()) << command.error().message;
  expect_gold("worker", one_a_line(command->argv));
  EXPECT_THAT(command->env,
              ElementsAre(Pair("FAKE_ENGINE_TOPOLOGY",
                               "/opt/sglexp/share/sglexp/fixtures/topologies/mi210_2hives.json")));
}

TEST(WorkerCommand, TheArmsValuesWin) {
  const Scenario two = scenario(
      "numa_compare", {"arms.cross_numa.engine.tp=2", "arms.cross_numa.engine.args.dtype=float16",
                       "engine.served_model_name=m", "engine.env.HF_HUB_OFFLINE=0",
                       "arms.cross_numa.engine.env.X=1"});
  const auto command = worker_command(two, two.arms[1], profile("mi210_example"), kPaths,
                                      two_workers().workers[0], 7);
  ASSERT_TRUE(command.ok()) << command.error().message;
  expect_gold("worker_of_an_arm", one_a_line(command->argv));
  EXPECT_THAT(command->env, Contains(Pair("HF_HUB_OFFLINE", "0")));  // the profile says 1
  EXPECT_THAT(command->env, Contains(Pair("X", "1")));
}

TEST(WorkerCommand, NamesTheEnginesThatThereAre) {
  const Scenario two = scenario("numa_compare", {"engine.kind=vllm"});
  const auto command =
      worker_command(two, two.arms[0], profile(), kPaths, two_workers().workers[0], 7);
  ASSERT_FALSE(command.ok());
  EXPECT_EQ(command.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(command.error().message,
            "cluster 'mock' has no engine 'vllm' (it has: sglang, sglang_router)");
}

TEST(RouterCommand, KnowsEveryWorkerAndHidesNothing) {
  const auto command = router_command(scenario("numa_compare", {"router.args.log-level=debug"}),
                                      profile(), kPaths, two_workers());
  ASSERT_TRUE(command.ok()) << command.error().message;
  expect_gold("router", one_a_line(command->argv));
}

TEST(RouterCommand, BracketsIpv6) {
  Placement placement = two_workers();
  placement.workers[0].address = "fd00::1";
  const auto command = router_command(scenario(), profile(), kPaths, placement);
  ASSERT_TRUE(command.ok()) << command.error().message;
  EXPECT_THAT(command->argv, Contains("http://[fd00::1]:20010"));
}

TEST(RouterCommand, NeedsARouterInThePlacement) {
  Placement placement = two_workers();
  placement.services.clear();
  EXPECT_FALSE(router_command(scenario(), profile(), kPaths, placement).ok());
}

TEST(Step, WritesEveryOptionThatASiteCouldDefault) {
  expect_gold(
      "step_with_gpus",
      one_a_line(srun_argv({.node = "mi210-02",
                            .gres = "gpu:mi210:8",
                            .cpus = 128,
                            .job_name = "sglexp-ab12cd34ef56",
                            .output = "/runs/a/w1.log",
                            .argv = {"/opt/sglexp/bin/sglexp", "node-exec", "/runs/a/w1.json"}})));
}

TEST(Step, WithoutGpusAsksForNone) {
  const auto argv = srun_argv({.node = "n", .cpus = 2, .output = "/runs/50%j/x", .argv = {"true"}});
  EXPECT_THAT(argv, Contains("--gres=none"));
  EXPECT_THAT(argv, Contains("--output=/runs/50%%j/x"));
  EXPECT_EQ(argv.back(), "true");
}

TEST(Step, LeavesTheTypeOut) {
  EXPECT_THAT(srun_argv({.gres = "gpu:4"}), Contains("--gres=gpu:4"));
  EXPECT_THAT(srun_argv({.gres = "gpu:mi210:4"}), Contains("--gres=gpu:4"));
}

TEST(Batch, WholeNodes) {
  const JobSpec spec = job_spec(scenario(), profile("mi210_example"), shared_job());
  EXPECT_EQ(spec.name, "sglexp-ab12cd34ef56");
  EXPECT_EQ(spec.comment, "sglexp numa_compare ab12cd34ef56");
  EXPECT_EQ(spec.script_path, "/shared/runs/20260101-numa_compare-ab12/jobs/shared/job.sh");
  expect_gold("sbatch_select", one_a_line(spec.args));
}

TEST(Batch, ByRequestOfAnArmOnPinnedNodes) {
  const Scenario two = scenario("numa_compare_request");
  BatchJob job = shared_job();
  job.job_name = "s01-cross_numa";
  job.request_arm = &two.arms[1];
  job.pin_nodes = {"mi210-01", "mi210-02"};
  expect_gold("sbatch_request", one_a_line(job_spec(two, profile("slurm_fixture"), job).args));
}

TEST(Batch, SaysOnlyWhatTheSiteNeeds) {
  const auto args = job_spec(scenario("laptop_smoke"), profile(), shared_job()).args;
  for (const std::string& word : args) {
    EXPECT_THAT(word, Not(StartsWith("--partition")));
    EXPECT_NE(word, "--exclusive");
  }
  const auto site =
      job_spec(scenario("laptop_smoke"),
               profile("mi210_example", {"account=a", "qos=q", "reservation=r", "exclude=n[1-2]",
                                         "constraint=c", "sbatch_args=[--switches=1]"}),
               shared_job())
          .args;
  EXPECT_THAT(site, Contains("--account=a"));
  EXPECT_THAT(site, Contains("--exclude=n[1-2]"));
  EXPECT_EQ(site.back(), "--switches=1");
}

TEST(Batch, RoundsTimeAndMemoryUp) {
  const auto args = job_spec(scenario("laptop_smoke", {"allocation.time_limit=601s",
                                                       "allocation.memory_per_node=1048577B"}),
                             profile(), shared_job())
                        .args;
  EXPECT_THAT(args, Contains("--time=11"));
  EXPECT_THAT(args, Contains("--mem=2M"));
}

// All memory of a node that other jobs use too would never be free.
TEST(Batch, TakesAllMemoryOnlyOfWholeNodes) {
  EXPECT_THAT(job_spec(scenario("env_smoke"), profile(), shared_job()).args, Contains("--mem=0"));
  for (const std::string& word : job_spec(scenario("laptop_smoke"), profile(), shared_job()).args) {
    EXPECT_THAT(word, Not(StartsWith("--mem")));
  }
}

TEST(Batch, AsksForNoGpusWhereNoneAreWanted) {
  for (const std::string& word :
       job_spec(scenario("env_smoke", {"allocation.gpus_per_node=0"}), profile(), shared_job())
           .args) {
    EXPECT_THAT(word, Not(StartsWith("--gres")));
  }
}

TEST(BatchScript, SetsUpTheSiteAndBecomesTheAgent) {
  expect_gold("script", batch_script(scenario(),
                                     profile("mi210_example",
                                             {"setup=[module load rocm/6.2, \"ulimit -c 0\"]"}),
                                     kPaths, shared_job()));
}

TEST(BatchScript, QuotesPaths) {
  BatchJob job = shared_job();
  job.run_dir = "/tmp/it's; $(reboot)";
  EXPECT_THAT(
      batch_script(scenario(), profile(), kPaths, job),
      HasSubstr("exec /opt/sglexp/bin/sglexp agent '/tmp/it'\\''s; $(reboot)' --job shared\n"));
}

}  // namespace
}  // namespace sglexp
