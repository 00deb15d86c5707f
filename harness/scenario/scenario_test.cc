// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two arms, one load point; line numbers matter to some tests.
constexpr std::string_view kTwoArms = R"(name: two
allocation:
  nodes: 2
  node_type: mi210
  gpus_per_node: 8
  time_limit: 1h
engine:
  model: m
  tp: 4
  args: {max-running-requests: 64}
arms:
  same:
    base: true
    placement: {policy: same_numa}
  cross:
    placement.policy: cross_numa
    engine.args.max-running-requests: 128
load:
  points:
    - {name: c4, concurrency: 4, requests: 8}
)";

Result<Scenario> parse(std::string_view yaml, const LoadOptions& options = {}) {
  return parse_scenario(yaml, "s.yaml", options);
}

std::string error_of(std::string_view yaml, const LoadOptions& options = {}) {
  const auto result = parse(yaml, options);
  return result.ok() ? "" : result.error().message;
}

std::string set_error(const std::vector<std::string>& overrides) {
  return error_of(kTwoArms, {.overrides = overrides});
}

TEST(Scenario, FillsDefaultsAndArms) {
  const auto scenario = parse(kTwoArms);
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  ASSERT_EQ(scenario->arms.size(), 2U);
  const ArmSpec& same = scenario->arms[0];
  const ArmSpec& cross = scenario->arms[1];
  EXPECT_EQ(same.name, "same");
  EXPECT_TRUE(same.base);
  EXPECT_FALSE(cross.base);
  EXPECT_EQ(same.placement.policy, PlacementPolicy::kSameNuma);
  EXPECT_EQ(cross.placement.policy, PlacementPolicy::kCrossNuma);
  EXPECT_EQ(same.engine.args.at("max-running-requests"), "64");
  EXPECT_EQ(cross.engine.args.at("max-running-requests"), "128");
  EXPECT_EQ(cross.engine.tp, 4);
  EXPECT_THAT(cross.factors,
              ElementsAre("placement.policy=cross_numa", "engine.args.max-running-requests=128"));
  EXPECT_EQ(scenario->router.policy, "round_robin");
  EXPECT_EQ(scenario->deadlines.ready, std::chrono::minutes(30));
  EXPECT_FALSE(scenario->repeats.job_per_slot);
}

TEST(Scenario, WithoutArmsHasOneThatIsTheBase) {
  const auto scenario =
      parse("name: x\nallocation: {node_type: n, gpus_per_node: 0, time_limit: 5m}");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  ASSERT_EQ(scenario->arms.size(), 1U);
  EXPECT_EQ(scenario->arms[0].name, "default");
  EXPECT_TRUE(scenario->arms[0].base);
  EXPECT_THAT(scenario->load.points, IsEmpty());
}

TEST(Scenario, ReportsAllProblemsTogetherInFileOrder) {
  const std::string text = error_of(R"(name: x
alocation: {}
engine:
  tp: four
load:
  points: []
gates:
  - {metric: output_toks, margin: 3}
)");
  const auto lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 5U) << text;
  EXPECT_EQ(lines[0],
            "s.yaml:2:1: unknown key 'alocation' in the scenario (did you mean 'allocation'?)");
  EXPECT_EQ(lines[1], "s.yaml:4:7: engine.tp: expected a whole number from 1 to 64, found 'four'");
  EXPECT_THAT(lines[2], HasSubstr("s.yaml:6:11: load.points: empty"));
  EXPECT_THAT(lines[3], HasSubstr("did you mean 'output_tok_s'?"));
  EXPECT_THAT(lines[4], HasSubstr("s.yaml:8:35: gates.0.margin: '3' is not a percentage"));
}

TEST(Scenario, NeedsExactlyOneBase) {
  EXPECT_THAT(set_error({"arms.same.base=false"}), HasSubstr("one of them must say 'base: true'"));
  EXPECT_THAT(set_error({"arms.cross.base=true"}),
              HasSubstr("--set arms.cross.base=true: arms.cross.base: 2 arms say"));
}

TEST(Scenario, OverridesAreHeldToTheSameRules) {
  const auto scenario = parse(
      kTwoArms, {.overrides = {"load.points.c4.requests=16", "arms.cross.placement.policy=pack",
                               "repeats.blocks=4", "load.points.0.concurrency=2"}});
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_EQ(scenario->load.points[0].requests, 16);
  EXPECT_EQ(scenario->load.points[0].concurrency, 2);
  EXPECT_EQ(scenario->arms[1].placement.policy, PlacementPolicy::kPack);
  EXPECT_EQ(scenario->repeats.blocks, 4);

  EXPECT_EQ(set_error({"repeat.blocks=4"}),
            "--set repeat.blocks=4: unknown key 'repeat' in the scenario (did you mean "
            "'repeats'?)");
  EXPECT_THAT(set_error({"arms.crosss.base=true"}),
              HasSubstr("the file has no arm 'crosss' (did you mean 'cross'?)"));
  EXPECT_THAT(set_error({"engine.tp=0"}), HasSubstr("--set engine.tp=0: engine.tp: expected"));
  EXPECT_THAT(set_error({"deadlines.ready=5"}), HasSubstr("is not a duration"));
}

TEST(Scenario, OnlyKeepsSomeArms) {
  const auto one = parse(kTwoArms, {.only_arms = {"cross"}});
  ASSERT_TRUE(one.ok()) << one.error().message;
  ASSERT_EQ(one->arms.size(), 1U);
  EXPECT_EQ(one->arms[0].name, "cross");
  EXPECT_TRUE(one->arms[0].base);
  EXPECT_EQ(error_of(kTwoArms, {.only_arms = {"crss"}}),
            "--only crss: no such arm (did you mean 'cross'?)");
  const std::string three = std::string(kTwoArms).replace(
      kTwoArms.find("load:"), 0, "  pack:\n    placement: {policy: pack}\n");
  EXPECT_THAT(error_of(three, {.only_arms = {"cross", "pack"}}),
              HasSubstr("leaves out the base arm: add --only same"));
  EXPECT_EQ(error_of(three, {.only_arms = {"pack", "same"}}), "");
}

// Names become file names, argv words and SQL values: nothing else may come through.
TEST(Scenario, NamesAreSafe) {
  for (const char* bad :
       {"../x", "a b", "a/b", "-x", "", "a.b", "é", "a12345678901234567890123456789012345678901"}) {
    const std::string yaml = std::string(kTwoArms).replace(6, 3, "\"" + std::string(bad) + "\"");
    EXPECT_THAT(error_of(yaml), HasSubstr("expected a name of letters")) << bad;
  }
}

TEST(Scenario, GpusMustFitTheAllocation) {
  EXPECT_THAT(set_error({"engine.tp=16"}),
              AllOf(HasSubstr("1 worker(s) a node with tp 16 need 16 GPUs"),
                    HasSubstr("allocation.gpus_per_node is 8")));
  EXPECT_EQ(set_error({"engine.workers_per_node=2"}), "");
  EXPECT_THAT(set_error({"arms.cross.engine.workers_per_node=3"}),
              AllOf(HasSubstr("(arm cross)"), Not(HasSubstr("(arm same)"))));
  EXPECT_THAT(set_error({"engine.tp=3"}),
              HasSubstr("arms.cross.placement.policy: cross_numa puts half"));
}

TEST(Scenario, ExplicitGpusAreCountedAndChecked) {
  EXPECT_EQ(set_error({"arms.cross.placement.policy=explicit",
                       "arms.cross.placement.gpus=[0, 1, 4, \"0000:83:00.0\"]"}),
            "");
  const std::string text = set_error(
      {"arms.cross.placement.policy=explicit", "arms.cross.placement.gpus=[0, 0, renderD1]"});
  EXPECT_THAT(text, HasSubstr("expected 4 GPUs (engine.tp x engine.workers_per_node), found 3"));
  EXPECT_THAT(text, HasSubstr("a GPU is there twice"));
  EXPECT_THAT(text, HasSubstr("'renderD1' is neither a GPU index"));
  EXPECT_THAT(set_error({"arms.same.placement.gpus=[0]"}), HasSubstr("only the policy 'explicit'"));
}

TEST(Scenario, PlacementByRequestDerivesItsWordsAndOneJobASlot) {
  const std::vector<std::string> request = {"placement.by=request", "allocation.cpus_per_node=32",
                                            "allocation.gpus_per_node=4"};
  const auto scenario = parse(kTwoArms, {.overrides = request});
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_TRUE(scenario->repeats.job_per_slot);
  EXPECT_THAT(scenario->arms[0].placement.request_args,
              ElementsAre("--ntasks-per-node=1", "--cpus-per-task=32", "--gpus-per-node=4"));
  EXPECT_THAT(scenario->arms[1].placement.request_args,
              ElementsAre("--ntasks-per-node=1", "--cpus-per-task=32", "--sockets-per-node=2",
                          "--gpus-per-socket=2"));
  EXPECT_THAT(set_error({"placement.by=request"}), HasSubstr("needs allocation.cpus_per_node"));
  EXPECT_THAT(set_error({request[0], request[1], "repeats.jobs=shared"}),
              HasSubstr("jobs cannot be shared: write per_slot"));
  EXPECT_THAT(set_error({request[0], request[1], "arms.same.placement.policy=explicit"}),
              HasSubstr("Slurm cannot be asked for particular GPUs"));
  EXPECT_THAT(set_error({"placement.request_args=[-n1]"}),
              HasSubstr("only used with 'by: request'"));
}

TEST(Scenario, WordsForSlurmCannotUndoOurs) {
  for (const char* bad : {"--job-name=x", "-Jx", "--outp=x", "-o", "--export=ALL", "--time=1",
                          "-N4", "--partition=x", "echo"}) {
    EXPECT_THAT(set_error({"placement.by=request",
                           "placement.request_args=[\"" + std::string(bad) + "\"]"}),
                HasSubstr("placement.request_args.0: '"))
        << bad;
  }
  EXPECT_EQ(
      set_error({"placement.by=request", "placement.request_args=[-n, 1, --gpus-per-node=4]"}), "");
}

TEST(Scenario, EngineFlagsAndVariablesCannotUndoOurs) {
  for (const char* bad : {"host", "port", "tp-size", "tp", "tensor-parallel-size", "model-path",
                          "model", "random-seed", "random", "base-gpu-id"}) {
    EXPECT_THAT(set_error({"engine.args." + std::string(bad) + "=1"}),
                HasSubstr("'" + std::string(bad) + "' is not yours to set here"))
        << bad;
  }
  EXPECT_THAT(set_error({"engine.args.--dtype=x"}), HasSubstr("write its name without the dashes"));
  EXPECT_THAT(set_error({"router.args.disable-retries=true"}), HasSubstr("always set"));
  for (const char* bad : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    EXPECT_THAT(set_error({"engine.env." + std::string(bad) + "=0"}),
                HasSubstr("is not yours to set here"))
        << bad;
  }
  EXPECT_THAT(set_error({"engine.env.A-B=0"}), HasSubstr("is not the name of a variable"));
}

TEST(Scenario, LoadGatesAndChecksReferToWhatExists) {
  EXPECT_THAT(set_error({"gates=[{metric: itl_p50_ms, margin: 3%, load_points: [c5]}]"}),
              HasSubstr("gates.0.load_points: no load point 'c5' (did you mean 'c4'?)"));
  EXPECT_THAT(set_error({"router.enabled=false"}), HasSubstr("2 workers need a router"));
  EXPECT_EQ(set_error({"router.enabled=false", "allocation.nodes=1"}), "");
  EXPECT_THAT(set_error({"deadlines.request=5s"}), HasSubstr("longer than deadlines.request"));
  EXPECT_THAT(set_error({"engine.model="}), HasSubstr("which model is to be served?"));
  EXPECT_THAT(set_error({"allocation.time_limit=90s"}), HasSubstr("must be at least 2m"));
  EXPECT_THAT(
      error_of(kTwoArms, {.overrides = {"checks.gpu_sett=off"}, .known_checks = {"gpu_set"}}),
      HasSubstr("checks.gpu_sett: no such check (did you mean 'gpu_set'?)"));
  const auto off = parse(kTwoArms, {.overrides = {"checks.gpu_set=off"}});
  ASSERT_TRUE(off.ok());
  EXPECT_EQ(off->checks.at("gpu_set"), CheckLevel::kOff);
}

// A rule that combines values must not guess about one that is wrong.
TEST(Scenario, RulesStaySilentWhereTheirValuesAreWrong) {
  EXPECT_THAT(set_error({"engine.tp=x", "allocation.gpus_per_node=1"}), Not(HasSubstr("need")));
}

TEST(Scenario, JsonIsStableAndMasksSecrets) {
  const std::vector<std::string> secret = {"engine.env.HF_TOKEN=hunter2",
                                           "arms.cross.engine.args.api-key=hunter2"};
  const auto scenario = parse(kTwoArms, {.overrides = secret});
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_EQ(scenario->arms[1].engine.args.at("api-key"), "hunter2");
  const std::string json = scenario_to_json(*scenario);
  EXPECT_THAT(json, Not(HasSubstr("hunter2")));
  EXPECT_EQ(json, scenario_to_json(*parse(kTwoArms, {.overrides = secret})));
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed["allocation"]["time_limit"], "1h");
  EXPECT_EQ(parsed["arms"][1]["placement"]["policy"], "cross_numa");
  EXPECT_FALSE(parsed.contains("file"));
}

TEST(Scenario, BytesThatAreNotUtf8DoNotBreakTheJson) {
  const auto scenario = parse(std::string(kTwoArms) + "description: \"a\xff\"\n");
  ASSERT_TRUE(scenario.ok()) << scenario.error().message;
  EXPECT_TRUE(nlohmann::json::accept(scenario_to_json(*scenario)));
}

TEST(Scenario, AMissingFileSaysSo) {
  const auto result = load_scenario("/nonexistent/x.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sglexp
