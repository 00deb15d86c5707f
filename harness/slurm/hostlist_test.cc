// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/hostlist.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/text.h"

namespace sglexp {
namespace {

std::string expanded(std::string_view text) {
  const auto hosts = expand_hostlist(text);
  return hosts.ok() ? join(*hosts, " ") : "ERROR " + hosts.error().message;
}

struct ListCase {
  const char* list;
  const char* hosts;
};

class HostlistAsSlurm : public testing::TestWithParam<ListCase> {};

TEST_P(HostlistAsSlurm, Expands) {
  EXPECT_EQ(expanded(GetParam().list), GetParam().hosts);
}

// Right-hand sides: `scontrol show hostnames`, Slurm 22.05.8.
INSTANTIATE_TEST_SUITE_P(
    Grammar, HostlistAsSlurm,
    testing::Values(
        ListCase{"node[01-03,7]", "node01 node02 node03 node7"},
        ListCase{"n[8-11]", "n8 n9 n10 n11"}, ListCase{"n[08-11]", "n08 n09 n10 n11"},
        ListCase{"n[008-11]", "n008 n009 n010 n011"}, ListCase{"n[9-010]", "n9 n10"},
        ListCase{"n[098-101]", "n098 n099 n100 n101"},
        ListCase{"gpu-[1-2]-[01-03]", "gpu-1-01 gpu-1-02 gpu-1-03 gpu-2-01 gpu-2-02 gpu-2-03"},
        ListCase{"n[1-2]x[3-4]y[5-6]", "n1x3y5 n1x3y6 n2x3y5 n2x3y6 n1x4y5 n1x4y6 n2x4y5 n2x4y6"},
        ListCase{"a[1-2]b[3-4]c[5-6]d[7,8]",
                 "a1b3c5d7 a1b3c5d8 a2b3c5d7 a2b3c5d8 a1b4c5d7 a1b4c5d8 a2b4c5d7 a2b4c5d8 "
                 "a1b3c6d7 a1b3c6d8 a2b3c6d7 a2b3c6d8 a1b4c6d7 a1b4c6d8 a2b4c6d7 a2b4c6d8"},
        ListCase{"n[1-2][3-4]", "n13 n14 n23 n24"}, ListCase{"[1-3]", "1 2 3"},
        ListCase{"n[1-2],[3-4]", "n1 n2 3 4"}, ListCase{"n[1,1]", "n1 n1"},
        ListCase{"n[1-2],n[2-3]", "n1 n2 n2 n3"}, ListCase{"n1,n01,n001", "n1 n01 n001"},
        ListCase{" n1, n2 ", "n1 n2"}, ListCase{"n1,,n2", "n1 n2"}, ListCase{"n1\tn2", "n1 n2"},
        ListCase{"", ""}, ListCase{",", ""}, ListCase{"n[1 - 2]", "n01 n02"},
        ListCase{"n[ 1-2]", "n01 n02"}, ListCase{"n[1- 2]", "n1 n2"}, ListCase{"n[1, 2]", "n1 n02"},
        ListCase{"n[1-]", "n1"}, ListCase{"n]", "n]"}, ListCase{"n]x[1-2]", "n]x1 n]x2"},
        ListCase{"n{1..3}", "n{1..3}"}, ListCase{"n1-n3", "n1-n3"},
        ListCase{"n.example.com", "n.example.com"}));

// 22.05.8 refuses this one; what it means is not in doubt.
TEST(Hostlist, KeepsTextBehindTheLastBracket) {
  EXPECT_EQ(expanded("r[1-2]n[01-02]-ib"), "r1n01-ib r1n02-ib r2n01-ib r2n02-ib");
  EXPECT_EQ(expanded("n[1-2].example.com,m"), "n1.example.com n2.example.com m");
}

class HostlistRefused : public testing::TestWithParam<ListCase> {};

TEST_P(HostlistRefused, NamesThePart) {
  const auto hosts = expand_hostlist(GetParam().list);
  ASSERT_FALSE(hosts.ok()) << join(*hosts, " ");
  EXPECT_EQ(hosts.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(hosts.error().message.find(GetParam().hosts), std::string::npos)
      << hosts.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, HostlistRefused,
    testing::Values(ListCase{"n[3-1]", "write 1-3"}, ListCase{"n[]", "''"}, ListCase{"n[a]", "'a'"},
                    ListCase{"n[", "without ']'"}, ListCase{"n[1-3", "without ']'"},
                    ListCase{"n[1-2]x[3", "without ']'"}, ListCase{"n[1-3]]", "without '['"},
                    ListCase{"n[[1-2]]", "'[1-2'"}, ListCase{"n[1-3:2]", "'1-3:2'"},
                    ListCase{"n[0-4/2]", "'0-4/2'"}, ListCase{"n[1-100000]", "65536"},
                    ListCase{"n[0-65536]", "65536"}, ListCase{"n[,1]", "''"},
                    ListCase{"n[1,]", "''"}, ListCase{"n[-1]", "'-1'"},
                    ListCase{"n[1--2]", "'1--2'"}, ListCase{"n[1-2-3]", "'1-2-3'"},
                    ListCase{"n[1-2 ]", "'1-2 '"}, ListCase{"n[1 ,2]", "'1 '"},
                    ListCase{"n[0x1-0x3]", "'0x1-0x3'"},
                    ListCase{"n[9999999999999999999]", "no number"}));

TEST(Hostlist, TakesTheLargestRangeThatSlurmTakes) {
  const auto hosts = expand_hostlist("n[0-65535]");
  ASSERT_TRUE(hosts.ok());
  EXPECT_EQ(hosts->size(), 65536U);
  EXPECT_EQ(hosts->back(), "n65535");
}

TEST(Hostlist, BoundsWhatHostileTextCanAllocate) {
  EXPECT_FALSE(expand_hostlist("a[1-60000]b[1-60000]c[1-60000]").ok());
  EXPECT_FALSE(expand_hostlist(std::string(60000, 'x') + "[1-60000]").ok());
}

TEST(Hostlist, ControlBytesDoNotReachTheMessage) {
  EXPECT_EQ(expanded("n[\x1b[31m]").find('\x1b'), std::string::npos);
}

// Right-hand sides: `scontrol show hostlist`, Slurm 22.05.8.
TEST(Hostlist, CompressesAsSlurm) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"n1 n01 n2", "n[1,01,2]"},
      {"node7 node02 node01", "node[7,02,01]"},
      {"n1 n2 n3", "n[1-3]"},
      {"n3 n2 n1", "n[3,2,1]"},
      {"n1 n1 n2", "n[1,1-2]"},
      {"n1 m1 n2", "n1,m1,n2"},
      {"n09 n10 n11", "n[09-11]"},
      {"n9 n10", "n[9-10]"},
      {"n099 n100 n101", "n[099-101]"},
      {"n999 n1000", "n[999-1000]"},
      {"gpu-1-01 gpu-1-02 gpu-2-01 gpu-2-02", "gpu-1-[01-02],gpu-2-[01-02]"},
      {"a1b a2b", "a1b,a2b"},
      {"login n1", "login,n1"},
      {"n n1", "n,n1"},
      {"1 2 3", "[1-3]"},
      {"n001 n002 n004", "n[001-002,004]"},
      {"n0 n00", "n[0,00]"},
      {"n1 n2 x5 n3", "n[1-2],x5,n3"},
      {"n1", "n1"}};
  for (const auto& [hosts, list] : cases) {
    EXPECT_EQ(compress_hosts(split(hosts, ' ')), list);
    EXPECT_EQ(expanded(list), hosts);
  }
  EXPECT_EQ(compress_hosts({}), "");
}

}  // namespace
}  // namespace sglexp
