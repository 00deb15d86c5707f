// SPDX-License-Identifier: Apache-2.0
#include "harness/run/exec_environment.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/network.h"

namespace sglexp {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

using Environment = std::map<std::string, std::string>;

Topology node() {
  auto topology = load_recorded_topology(std::string(SGLEXP_SOURCE_DIR) +
                                         "/fixtures/topologies/mi210_2hives.json");
  EXPECT_TRUE(topology.ok()) << topology.error().message;
  return *std::move(topology);
}

// The worker that is to see GPUs 4 and 5.
ExecSpec worker() {
  const Topology topology = node();
  return {.name = "w0",
          .node = "mi210-01",
          .run_token = "ab12",
          .gpus = {topology.find_index(4)->pci, topology.find_index(5)->pci},
          .cache_root = "/tmp/caches"};
}

const CheckResult& only_check(const ExecEnvironment& environment) {
  EXPECT_THAT(environment.checks, SizeIs(1));
  return environment.checks.at(0);
}

TEST(ExecEnvironment, ShowsAWorkerItsGpusThroughOneLayer) {
  const ExecEnvironment environment = plan_exec_environment(
      worker(), node(), {{"ROCR_VISIBLE_DEVICES", "4,5,6,7"}, {"CUDA_VISIBLE_DEVICES", "0"}});
  EXPECT_THAT(environment.set, Contains(Pair("HIP_VISIBLE_DEVICES", "0,1")));
  EXPECT_THAT(environment.unset, Contains("CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(only_check(environment).id, "worker_visibility");
  EXPECT_EQ(only_check(environment).verdict, CheckVerdict::kPass);
  EXPECT_THAT(only_check(environment).evidence, HasSubstr("ROCR_VISIBLE_DEVICES=4,5,6,7"));
  EXPECT_THAT(only_check(environment).evidence, HasSubstr("CUDA_VISIBLE_DEVICES=(unset)"));
}

TEST(ExecEnvironment, MarksTheProcessAndKeepsItsCachesApart) {
  const ExecEnvironment environment = plan_exec_environment(worker(), node(), {});
  EXPECT_THAT(environment.set, Contains(Pair(kOwnerVariable, "sglexp-ab12")));
  EXPECT_THAT(environment.set, Contains(Pair("TRITON_CACHE_DIR", HasSubstr("/tmp/caches/"))));
}

TEST(ExecEnvironment, RefusesWhereSlurmHidesAPlannedGpu) {
  const ExecEnvironment environment =
      plan_exec_environment(worker(), node(), {{"ROCR_VISIBLE_DEVICES", "0,1,2,3"}});
  const CheckResult& check = only_check(environment);
  EXPECT_EQ(check.verdict, CheckVerdict::kFail);
  EXPECT_THAT(check.observed, HasSubstr("hides the planned GPU"));
  EXPECT_THAT(check.evidence, HasSubstr("ROCR_VISIBLE_DEVICES=0,1,2,3"));
  EXPECT_FALSE(check.remedy.empty());
}

TEST(ExecEnvironment, AnOptionalCheckOnlyWarns) {
  ExecSpec spec = worker();
  spec.levels["worker_visibility"] = CheckLevel::kOptional;
  EXPECT_EQ(
      only_check(plan_exec_environment(spec, node(), {{"ROCR_VISIBLE_DEVICES", "0"}})).verdict,
      CheckVerdict::kWarn);
}

TEST(ExecEnvironment, WithoutATopologyNothingWasMeasured) {
  const Result<Topology> none = Error{ErrorCode::kNotFound, "no GPU driver"};
  const ExecEnvironment environment = plan_exec_environment(worker(), none, {});
  EXPECT_EQ(only_check(environment).verdict, CheckVerdict::kFail);
  EXPECT_FALSE(only_check(environment).measured);
  EXPECT_EQ(only_check(environment).observed, "no GPU driver");
}

TEST(ExecEnvironment, AMaskInTheEnginesOwnSettingsIsSeenAndRefused) {
  ExecSpec spec = worker();
  spec.env = {{"ROCR_VISIBLE_DEVICES", "0"}};  // would move every position in HIP's list
  EXPECT_EQ(only_check(plan_exec_environment(spec, node(), {})).verdict, CheckVerdict::kFail);
}

TEST(ExecEnvironment, TheEnginesSettingsWinOverTheCachesButNotOverTheMask) {
  ExecSpec spec = worker();
  spec.env = {{"TRITON_CACHE_DIR", "/scratch"}, {"HIP_VISIBLE_DEVICES", "7"}};
  const ExecEnvironment environment = plan_exec_environment(spec, node(), {});
  Environment applied;
  for (const auto& [name, value] : environment.set) {
    applied[name] = value;
  }
  EXPECT_EQ(applied["TRITON_CACHE_DIR"], "/scratch");
  EXPECT_EQ(applied["HIP_VISIBLE_DEVICES"], "4,5");
  EXPECT_EQ(only_check(environment).verdict, CheckVerdict::kPass);
}

TEST(ExecEnvironment, NamesEveryVariableOnce) {
  // The kernel passes doubles on, and which one counts is up to each C library.
  ExecSpec spec = worker();
  spec.env = {{"TRITON_CACHE_DIR", "/scratch"}, {"HIP_VISIBLE_DEVICES", "7"}};
  std::map<std::string, int> times;
  for (const auto& [name, value] : plan_exec_environment(spec, node(), {}).set) {
    EXPECT_EQ(++times[name], 1) << name;
  }
}

TEST(ExecEnvironment, AServiceSeesNoGpu) {
  ExecSpec router{.name = "router", .run_token = "ab12"};
  const ExecEnvironment environment =
      plan_exec_environment(router, node(), {{"CUDA_VISIBLE_DEVICES", "0,1"}});
  EXPECT_THAT(environment.set, Contains(Pair("HIP_VISIBLE_DEVICES", "-1")));
  EXPECT_THAT(environment.unset, Contains("CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(environment.checks, IsEmpty());
}

TEST(VisibilityEnvironment, TellsUnsetFromEmpty) {
  const VisibilityEnv env = visibility_env({{"ROCR_VISIBLE_DEVICES", ""}, {"PATH", "/bin"}});
  EXPECT_EQ(env.rocr, "");
  EXPECT_FALSE(env.hip);
  EXPECT_FALSE(env.cuda);
}

class Listener {
 public:
  Listener() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // On the first free port of the range that engines use.
  int listen_below_ephemeral() {
    for (int port = 20000; port < 21000; ++port) {
      address_.sin_port = htons(static_cast<std::uint16_t>(port));
      if (bind(socket_, reinterpret_cast<sockaddr*>(&address_), sizeof address_) == 0) {
        EXPECT_EQ(listen(socket_, 1), 0);
        return port;
      }
    }
    ADD_FAILURE() << "no free port in 20000-20999";
    return 0;
  }

 private:
  int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

TEST(PortCheck, AHeldPortFailsAndIsNamed) {
  Listener listener;
  const int port = listener.listen_below_ephemeral();
  const CheckResult check = check_ports({.address = "127.0.0.1", .ports = {port}});
  EXPECT_EQ(check.id, "ports_free");
  EXPECT_EQ(check.verdict, CheckVerdict::kFail);
  EXPECT_THAT(check.observed, HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(check.remedy, HasSubstr("port_base"));
}

TEST(PortCheck, AFreePortPassesWithoutARemedy) {
  int port = 0;
  {
    Listener listener;
    port = listener.listen_below_ephemeral();
  }
  const CheckResult check = check_ports({.address = "127.0.0.1", .ports = {port}});
  EXPECT_EQ(check.verdict, CheckVerdict::kPass) << check.observed;
  EXPECT_EQ(check.observed, "free");
  EXPECT_THAT(check.remedy, IsEmpty());
}

TEST(PortCheck, AnEphemeralPortIsNoPlace) {
  const CheckResult check =
      check_ports({.address = "127.0.0.1", .ports = {ephemeral_ports().first}});
  EXPECT_EQ(check.verdict, CheckVerdict::kFail);
  EXPECT_THAT(check.observed, HasSubstr("ephemeral"));
}

}  // namespace
}  // namespace sglexp
