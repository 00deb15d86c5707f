// SPDX-License-Identifier: Apache-2.0
// Commands that need no Slurm, and input that is wrong.
#include "harness/e2e/world.h"

namespace sglexp {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Offline : public World {};

TEST_F(Offline, ListsScenarios) {
  const Completed done = sglexp({"scenarios"});
  EXPECT_EQ(done.status.code, 0);
  EXPECT_THAT(done.out, HasSubstr("numa_compare"));
  const auto json = nlohmann::json::parse(sglexp({"scenarios", "--json"}).out);
  EXPECT_GE(json.size(), 4U);
  for (const auto& row : json) {
    EXPECT_TRUE(row["valid"]) << row;
  }
}

TEST_F(Offline, RendersEverythingThatARunWouldDo) {
  const Completed done = sglexp({"render", "numa_compare", "--cluster", "mock"});
  ASSERT_EQ(done.status.code, 0) << done.err;
  for (const char* part :
       {"48 trials", "16 slots", "GPU-hours", "#!/bin/bash", "sbatch", "srun", "--random-seed",
        "w0", "w1", "router", "0,1,2,3", "deadlines", "gate output_tok_s", "SIMULATED"}) {
    EXPECT_THAT(done.out, HasSubstr(part));
  }
  EXPECT_THAT(done.out, ContainsRegex("0,1,4,5"));
}

TEST_F(Offline, RefusesAMisspeltKeyWithPlaceAndSuggestion) {
  std::string text = source_file("scenarios/numa_compare.yaml");
  text.replace(text.find("allocation:"), 11, "alocation:");
  const std::string file = write_file("typo.yaml", text);
  const Completed done = sglexp({"run", file, "--cluster", "mock"});
  EXPECT_EQ(done.status.code, 2);
  EXPECT_THAT(done.err, ContainsRegex("typo.yaml:[0-9]+:[0-9]+"));
  EXPECT_THAT(done.err, HasSubstr("allocation"));
  EXPECT_FALSE(path_exists(path() + "/runs"));
}

TEST_F(Offline, NeverChoosesTheMockByItself) {
  const Completed done = sglexp({"run", "numa_compare"});
  EXPECT_EQ(done.status.code, 2);
  EXPECT_THAT(done.err, HasSubstr("--cluster"));
  EXPECT_THAT(done.err, HasSubstr("mock"));
  EXPECT_THAT(done.out, IsEmpty());
}

TEST_F(Offline, SaysWhatExistsWhereAnUnknownNameIsGiven) {
  const Completed done = sglexp({"run", "numa_compar", "--cluster", "mock"});
  EXPECT_EQ(done.status.code, 2);
  EXPECT_THAT(done.err, HasSubstr("did you mean 'numa_compare'"));
  EXPECT_EQ(sglexp({"run", "numa_compare", "--cluster", "mok"}).status.code, 2);
  EXPECT_EQ(sglexp({"frobnicate"}).status.code, 2);
  EXPECT_EQ(sglexp({}).status.code, 2);
}

TEST_F(Offline, OverridesAreCheckedLikeTheFile) {
  const Completed done = sglexp({"validate", "numa_compare", "--set", "repeats.bloks=4"});
  EXPECT_EQ(done.status.code, 2);
  EXPECT_THAT(done.err, HasSubstr("blocks"));
  EXPECT_EQ(sglexp({"validate", "numa_compare", "--set", "repeats.blocks=4", "--cluster", "mock"})
                .status.code,
            0);
}

TEST_F(Offline, HelpAndVersionSucceed) {
  EXPECT_EQ(sglexp({"--help"}).status.code, 0);
  EXPECT_THAT(sglexp({"--version"}).out, HasSubstr("sglexp"));
  EXPECT_THAT(sglexp({"run", "--help"}).out, HasSubstr("--cluster"));
}

TEST_F(Offline, ReadingWithoutADatabaseSaysSo) {
  const Completed done = sglexp({"runs"});
  EXPECT_EQ(done.status.code, 2);
  EXPECT_THAT(done.err, HasSubstr("sglexp.db"));
}

}  // namespace
}  // namespace sglexp
