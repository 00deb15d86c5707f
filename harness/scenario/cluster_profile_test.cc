// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/cluster_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sglexp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kProfile = R"(name: site
scheduler: slurm
node_types:
  mi210: {gpus: 8, cpus: 128, gres: gpu:mi210}
engines:
  sglang: {command: [python3, -m, sglang.launch_server]}
)";

std::string error_with(const std::vector<std::string>& overrides) {
  const auto result = parse_cluster_profile(kProfile, "p.yaml", overrides);
  return result.ok() ? "" : result.error().message;
}

TEST(ClusterProfile, FillsDefaults) {
  const auto profile = parse_cluster_profile(kProfile, "p.yaml");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->poll_period, Seconds(30));
  EXPECT_EQ(profile->node_types.at("mi210").topology, "discover");
  EXPECT_EQ(profile->engines.at("sglang").command.size(), 3U);
  const auto mock =
      parse_cluster_profile(kProfile, "p.yaml", {"scheduler=mock", "mock_cluster=mi210_2x8.json"});
  ASSERT_TRUE(mock.ok()) << mock.error().message;
  EXPECT_EQ(mock->poll_period, Millis(200));
}

TEST(ClusterProfile, SlurmIsNotAskedTooOftenWithoutAReason) {
  EXPECT_THAT(error_with({"poll_period=2s"}), HasSubstr("say why in poll_period_reason"));
  EXPECT_EQ(error_with({"poll_period=2s", "poll_period_reason=a test cluster"}), "");
}

TEST(ClusterProfile, MockAndSlurmKeysDoNotMix) {
  EXPECT_THAT(error_with({"scheduler=mock"}), HasSubstr("mock_cluster: missing"));
  EXPECT_THAT(error_with({"mock_cluster=x.json"}), HasSubstr("only used with 'scheduler: mock'"));
  EXPECT_THAT(error_with({"loopback_addresses=true"}), HasSubstr("loopback reaches no other node"));
}

TEST(ClusterProfile, DataFilesAreNamesNotPaths) {
  for (const char* bad : {"../x.json", "/etc/x.json", "x.yaml", ".json", "a b.json"}) {
    EXPECT_THAT(error_with({"node_types.mi210.topology=" + std::string(bad)}),
                HasSubstr("without directories"))
        << bad;
  }
  EXPECT_EQ(error_with({"node_types.mi210.topology=mi210_2hives.json"}), "");
}

TEST(ClusterProfile, CacheRootsArePrivateToJobAndNode) {
  EXPECT_THAT(error_with({"cache_root=/tmp/{job}"}), HasSubstr("{job} and {node}"));
  EXPECT_THAT(error_with({"cache_root=/tmp/{job}/{node}/{foo}"}),
              HasSubstr("unknown placeholder '{foo}' (known: {user}, {job}, {node})"));
  EXPECT_EQ(error_with({"cache_root=/scratch/{node}/{job}"}), "");
  EXPECT_THAT(error_with({"runs_dir=here"}), HasSubstr("expected an absolute path"));
}

TEST(ClusterProfile, PortsStayBelowTheEphemeralRange) {
  EXPECT_THAT(error_with({"port_base=30000"}), HasSubstr("30000-39999 reach into the ephemeral"));
  EXPECT_EQ(error_with({"port_base=22768"}), "");
}

TEST(ClusterProfile, ChecksEnginesAndNodeTypes) {
  EXPECT_THAT(error_with({"engines.sglang.command=[]"}), HasSubstr("empty: expected the program"));
  EXPECT_THAT(error_with({"engines.sglang.command=[\"{lib}/x\"]"}),
              HasSubstr("unknown placeholder '{lib}'"));
  EXPECT_THAT(error_with({"engines.sglang.env.HIP_VISIBLE_DEVICES=1"}),
              HasSubstr("is not yours to set here"));
  EXPECT_THAT(error_with({"node_types.mi210.gres=gpus:x"}), HasSubstr("expected gpu or gpu:TYPE"));
  EXPECT_THAT(error_with({"node_types.mi210.cpu=1"}), HasSubstr("did you mean 'cpus'?"));
  EXPECT_THAT(error_with({"limits.memlock=64GB"}), HasSubstr("expected unlimited or a size"));
  EXPECT_THAT(error_with({"sbatch_args=[--account=x]"}), HasSubstr("the key of that name"));
  EXPECT_THAT(error_with({"partition=--wrap"}), HasSubstr("looks like an option"));
}

TEST(ClusterProfile, JsonMasksSecrets) {
  const auto profile =
      parse_cluster_profile(kProfile, "p.yaml", {"engines.sglang.env.HF_TOKEN=hunter2"});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  const std::string json = cluster_profile_to_json(*profile);
  EXPECT_THAT(json, Not(HasSubstr("hunter2")));
  EXPECT_EQ(nlohmann::json::parse(json)["node_types"]["mi210"]["gres"], "gpu:mi210");
}

}  // namespace
}  // namespace sglexp
