// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/node_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/probe/catalogue.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

// Two sockets, four GPUs each: 0-3 on NUMA 0 with CPUs 0-3, 4-7 on NUMA 1 with CPUs 4-7.
Topology two_sockets() {
  Topology topology{.source = "test", .simulated = true};
  for (int i = 0; i < 8; ++i) {
    topology.gpus.push_back(
        {.index = i, .pci = "0000:0" + std::to_string(i) + ":00.0", .numa = i / 4});
  }
  topology.numa_nodes = {{.id = 0, .cpus = {0, 1, 2, 3}}, {.id = 1, .cpus = {4, 5, 6, 7}}};
  return topology;
}

class NodeChecks : public ::testing::Test {
 protected:
  NodeChecks() {
    for (const CheckDefinition& check : check_catalogue()) {
      spec_.levels[std::string(check.id)] = check.level;
    }
    facts_.environment = {{"SLURM_STEP_GPUS", "4,5,6,7"},      {"SLURM_JOB_GPUS", "0,1,2,3"},
                          {"ROCR_VISIBLE_DEVICES", "4,5,6,7"}, {"SLURMD_NODENAME", "n2"},
                          {"SLURM_JOB_NUM_NODES", "2"},        {"MASTER_ADDR", "n1"}};
    facts_.topology = two_sockets();
    facts_.master_addresses = std::vector<std::string>{"10.0.0.1"};
    facts_.cache_root = {.writable = true, .file_system = "ext"};
    facts_.programs = {{"python3", "/usr/bin/python3"}};
    facts_.clock = ClockOffset{.offset = Micros(-300), .uncertainty = Micros(50)};
  }

  CheckResult result(const std::string& id) {
    for (const CheckResult& check : judge_node(spec_, facts_).checks) {
      if (check.id == id) {
        EXPECT_EQ(check.node, "n2");
        return check;
      }
    }
    ADD_FAILURE() << "no check " << id;
    return {};
  }

  ProbeSpec spec_{.node = "n2",
                  .address = "10.0.0.2",
                  .job_nodes = {"n1", "n2"},
                  .allocated_gpus = {4, 5, 6, 7},
                  .allocated_cpus = {4, 5},
                  .cache_root = "/tmp/x",
                  .programs = {"python3"},
                  .clock_offset = Millis(5)};
  NodeFacts facts_;
};

TEST_F(NodeChecks, AllPassOnAGoodNodeAlthoughJobGpusIsWrong) {
  for (const CheckResult& check : judge_node(spec_, facts_).checks) {
    EXPECT_TRUE(check.verdict == CheckVerdict::kPass ||
                check.verdict == CheckVerdict::kNotApplicable)
        << check.id << ": " << check.observed;
    EXPECT_TRUE(check.remedy.empty()) << check.id;
  }
}

TEST_F(NodeChecks, GpuSetNeedsTheStepsOwnGpus) {
  facts_.environment["SLURM_STEP_GPUS"] = "0,1,2,3";
  EXPECT_EQ(result("gpu_set").verdict, CheckVerdict::kFail);
  facts_.environment.erase("SLURM_STEP_GPUS");
  EXPECT_EQ(result("gpu_set").verdict, CheckVerdict::kFail);
  EXPECT_THAT(result("gpu_set").remedy, HasSubstr("--gres"));
}

TEST_F(NodeChecks, DoubleMaskingIsNamedWithItsCure) {
  facts_.environment["HIP_VISIBLE_DEVICES"] = "4,5,6,7";
  const CheckResult check = result("visibility");
  EXPECT_EQ(check.verdict, CheckVerdict::kFail);
  EXPECT_THAT(check.observed, HasSubstr("0 GPUs"));
  EXPECT_THAT(check.remedy, HasSubstr("HIP_VISIBLE_DEVICES"));
  EXPECT_THAT(check.evidence, HasSubstr("ROCR_VISIBLE_DEVICES=4,5,6,7"));
}

TEST_F(NodeChecks, NoMaskAtAllShowsOtherJobsGpus) {
  facts_.environment.erase("ROCR_VISIBLE_DEVICES");
  EXPECT_THAT(result("visibility").observed, HasSubstr("8 GPUs"));
  EXPECT_EQ(result("visibility").verdict, CheckVerdict::kFail);
}

TEST_F(NodeChecks, CpuMaskMustTouchTheGpusNumaNodes) {
  spec_.allocated_cpus = {0, 1};
  const CheckResult check = result("cpu_mask");
  EXPECT_EQ(check.verdict, CheckVerdict::kFail);
  EXPECT_THAT(check.observed, HasSubstr("none on NUMA node(s) 1"));
}

TEST_F(NodeChecks, LoopbackMasterIsRefusedUnlessTheProfileAllowsIt) {
  facts_.master_addresses = std::vector<std::string>{"127.0.1.1"};
  EXPECT_EQ(result("master_addr").verdict, CheckVerdict::kFail);
  spec_.loopback_addresses = true;
  EXPECT_EQ(result("master_addr").verdict, CheckVerdict::kPass);
}

TEST_F(NodeChecks, RankFollowsThePositionInTheJob) {
  facts_.environment["RANK"] = "0";
  EXPECT_EQ(result("rank").verdict, CheckVerdict::kFail);
  facts_.environment["RANK"] = "1";
  EXPECT_EQ(result("rank").verdict, CheckVerdict::kPass);
  facts_.environment["SLURMD_NODENAME"] = "elsewhere";
  EXPECT_EQ(result("rank").verdict, CheckVerdict::kFail);
}

TEST_F(NodeChecks, CachesOnANetworkFileSystemFail) {
  facts_.cache_root = {.writable = true, .file_system = "nfs", .shared = true};
  EXPECT_EQ(result("cache_dirs").verdict, CheckVerdict::kFail);
}

TEST_F(NodeChecks, LimitsAreJudgedOnlyWhereDemanded) {
  EXPECT_EQ(result("limits").verdict, CheckVerdict::kNotApplicable);
  spec_.limits = {.open_files = 65535, .memlock = "unlimited"};
  facts_.open_files.hard = 4096;
  EXPECT_EQ(result("limits").verdict, CheckVerdict::kFail);
  facts_.open_files.hard = 65535;
  EXPECT_EQ(result("limits").verdict, CheckVerdict::kPass);
  facts_.memlock.hard = 65536;
  EXPECT_EQ(result("limits").verdict, CheckVerdict::kFail);
}

TEST_F(NodeChecks, AMissingProgramIsNamed) {
  facts_.programs["python3"] = "";
  EXPECT_THAT(result("engine_executable").observed, HasSubstr("python3"));
  EXPECT_EQ(result("engine_executable").verdict, CheckVerdict::kFail);
}

TEST_F(NodeChecks, ClockOffsetCountsBeyondItsUncertainty) {
  facts_.clock = ClockOffset{.offset = Millis(-9), .uncertainty = Millis(1)};
  EXPECT_EQ(result("clock_offset").verdict, CheckVerdict::kFail);
  facts_.clock = Error{ErrorCode::kUnavailable, "refused"};
  EXPECT_FALSE(result("clock_offset").measured);
  EXPECT_EQ(result("clock_offset").verdict, CheckVerdict::kFail);
}

TEST_F(NodeChecks, AnOptionalCheckThatCannotBeMeasuredOnlyWarns) {
  facts_.clock = Error{ErrorCode::kUnavailable, "refused"};
  spec_.levels["clock_offset"] = CheckLevel::kOptional;
  EXPECT_EQ(result("clock_offset").verdict, CheckVerdict::kWarn);
  spec_.levels["clock_offset"] = CheckLevel::kOff;
  EXPECT_EQ(result("clock_offset").verdict, CheckVerdict::kNotApplicable);
}

TEST_F(NodeChecks, SpecSurvivesItsJsonForm) {
  spec_.limits = {.open_files = 10, .memlock = "unlimited"};
  const auto back = parse_probe_spec(probe_spec_to_json(spec_));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->allocated_gpus, spec_.allocated_gpus);
  EXPECT_EQ(back->limits.memlock, "unlimited");
  EXPECT_EQ(back->clock_offset, spec_.clock_offset);
  EXPECT_EQ(back->levels, spec_.levels);
  EXPECT_FALSE(parse_probe_spec("{}").ok());
}

}  // namespace
}  // namespace sglexp
