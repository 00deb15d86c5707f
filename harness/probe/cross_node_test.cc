// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/cross_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sglexp {
namespace {

using ::testing::HasSubstr;

NodeReport report(const std::string& node, const std::string& rank,
                  const std::string& master = "10.0.0.1") {
  return {.node = node, .facts = {{"rank", rank}, {"master_addr", master}, {"kernel", "6.1"}}};
}

const std::vector<std::string> kNodes = {"n1", "n2"};

TEST(CrossNode, PassesWhenAllAgree) {
  for (const CheckResult& check :
       judge_across_nodes({}, kNodes, {report("n1", "0"), report("n2", "1")})) {
    EXPECT_EQ(check.verdict, CheckVerdict::kPass) << check.id;
  }
}

TEST(CrossNode, DifferentMastersFail) {
  const auto checks =
      judge_across_nodes({}, kNodes, {report("n1", "0"), report("n2", "1", "10.9.9.9")});
  EXPECT_EQ(checks[0].verdict, CheckVerdict::kFail);
  EXPECT_THAT(checks[0].observed, HasSubstr("10.9.9.9 on n2"));
}

TEST(CrossNode, DoubledOrMissingRanksFail) {
  EXPECT_EQ(judge_across_nodes({}, kNodes, {report("n1", "0"), report("n2", "0")})[1].verdict,
            CheckVerdict::kFail);
  EXPECT_EQ(judge_across_nodes({}, kNodes, {report("n1", "0")})[1].verdict, CheckVerdict::kFail);
  EXPECT_EQ(judge_across_nodes({}, kNodes, {report("n1", "0")})[0].verdict, CheckVerdict::kFail);
}

TEST(CrossNode, DifferentKernelsOnlyWarn) {
  auto odd = report("n2", "1");
  odd.facts["kernel"] = "5.15";
  const auto checks = judge_across_nodes({}, kNodes, {report("n1", "0"), odd});
  EXPECT_EQ(checks[2].verdict, CheckVerdict::kWarn);
  EXPECT_THAT(checks[2].observed, HasSubstr("5.15 on n2"));
  EXPECT_FALSE(environment_failure(checks).has_value());
}

TEST(EnvironmentFailure, NamesTheFirstFailedCheckAndHowMany) {
  const std::vector<CheckResult> checks = {
      {.id = "ok", .verdict = CheckVerdict::kPass},
      {.id = "visibility",
       .node = "n2",
       .verdict = CheckVerdict::kFail,
       .expected = "4",
       .observed = "0",
       .evidence = "HIP=4",
       .remedy = "unset it"},
      {.id = "limits", .node = "n2", .verdict = CheckVerdict::kFail}};
  const auto failure = environment_failure(checks);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->node, "n2");
  EXPECT_EQ(failure->what, "required check visibility failed (2 failed checks in all)");
  EXPECT_EQ(failure->remedy, "unset it");
}

}  // namespace
}  // namespace sglexp
