// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/visibility.h"

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/placement/test_devices.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Case {
  const char* name;
  std::vector<int> devices;
  VisibilityEnv env;
  std::vector<int> visible;  // physical indices
  const char* note = "";     // part of some layer's note; "": no layer has one
  HipUuidRule uuid_rule = HipUuidRule::kSubstring;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class Composition : public ::testing::TestWithParam<Case> {};

TEST_P(Composition, LeavesWhatTheRuntimesLeave) {
  const Case& c = GetParam();
  const Visibility result = compose_visibility(node(c.devices), c.env, c.uuid_rule);
  EXPECT_EQ(physical(result.visible), c.visible);
  std::string notes;
  for (const VisibilityLayer& layer : result.layers) {
    notes += layer.note.empty() ? "" : layer.name + ": " + layer.note + "\n";
  }
  if (std::string_view(c.note).empty()) {
    EXPECT_EQ(notes, "");
  } else {
    EXPECT_THAT(notes, HasSubstr(c.note));
  }
}

INSTANTIATE_TEST_SUITE_P(Unset, Composition,
                         ::testing::Values(Case{"nothing set", kAll, {}, kAll},
                                           Case{"no device", {}, {}, {}},
                                           Case{"cgroup of four", {4, 5, 6, 7}, {}, {4, 5, 6, 7}}));

INSTANTIATE_TEST_SUITE_P(
    Rocr, Composition,
    ::testing::Values(
        Case{"subset", kAll, {"4,5,6,7", kUnset, kUnset}, {4, 5, 6, 7}},
        Case{"reorders", kAll, {"3,0", kUnset, kUnset}, {3, 0}},
        Case{"empty hides all",
             kAll,
             {"", kUnset, kUnset},
             {},
             "ROCR_VISIBLE_DEVICES: set but empty"},
        Case{"minus one", kAll, {"-1", kUnset, kUnset}, {}, "token 1 '-1' is outside 0..7"},
        Case{"out of range cuts",
             kAll,
             {"1,8,2", kUnset, kUnset},
             {1},
             "token 2 '8' is outside 0..7; it and the rest are dropped"},
        Case{"bad word cuts", kAll, {"1,two,2", kUnset, kUnset}, {1}, "token 2 'two'"},
        Case{"trailing text is bad", kAll, {"1,2x,3", kUnset, kUnset}, {1}, "token 2 '2x'"},
        Case{"duplicate ends",
             kAll,
             {"0,1,0,2", kUnset, kUnset},
             {0, 1},
             "token 3 '0' is repeated, which ends ROCr's list"},
        Case{"blanks are trimmed", kAll, {" 0 ,\t4", kUnset, kUnset}, {0, 4}},
        Case{"hexadecimal", kAll, {"0x1,0X3", kUnset, kUnset}, {1, 3}},
        Case{"octal", kAll, {"07,010", kUnset, kUnset}, {7}, "token 2 '010' is outside"},
        Case{"leading zero", kAll, {"04", kUnset, kUnset}, {4}},
        Case{"plus sign", kAll, {"+2", kUnset, kUnset}, {2}},
        Case{"huge number wraps to 32 bits", kAll, {"4294967297", kUnset, kUnset}, {1}},
        Case{"last comma", kAll, {"0,1,", kUnset, kUnset}, {0, 1}},
        Case{"empty token",
             kAll,
             {"0,,1", kUnset, kUnset},
             {},
             "token 2 is empty: ROCr fails to start"},
        Case{"only a comma", kAll, {",", kUnset, kUnset}, {}, "token 1 is empty"},
        Case{"only a blank", kAll, {" ", kUnset, kUnset}, {}, "token 1 is empty"},
        Case{"no more tokens than GPUs",
             {4, 5},
             {"1,0,bad", kUnset, kUnset},
             {5, 4},
             "token 3 'bad' is not read: there are 2 GPUs"},
        Case{"global ids in a cgroup",
             {4, 5, 6, 7},
             {"4,5,6,7", kUnset, kUnset},
             {},
             "token 1 '4' is outside 0..3"},
        Case{"no device",
             {},
             {"0", kUnset, kUnset},
             {},
             "token 1 '0' is not read: there are 0 GPUs"}));

INSTANTIATE_TEST_SUITE_P(
    RocrUuid, Composition,
    ::testing::Values(
        Case{"full", kAll, {"GPU-1d8fc1269c2f61ce", kUnset, kUnset}, {1}},
        Case{"case does not matter", kAll, {"gpu-1D8FC1269C2F61CE", kUnset, kUnset}, {1}},
        Case{"unique prefix", kAll, {"GPU-1d,GPU-d9", kUnset, kUnset}, {1, 6}},
        Case{"shortest prefix", kAll, {"GPU-5", kUnset, kUnset}, {4}},
        Case{"too short",
             kAll,
             {"GPU-", kUnset, kUnset},
             {},
             "begins the UUID of no GPU or of several"},
        Case{"too long", kAll, {"GPU-1d8fc1269c2f61ce0", kUnset, kUnset}, {}, "token 1"},
        Case{"ambiguous prefix", kAll, {"GPU-1d,GPU-dc405001", kUnset, kUnset}, {1, 3}},
        Case{"ambiguous prefix cuts",
             kAll,
             {"GPU-1d,GPU-dc4050,0", kUnset, kUnset},
             {1},
             "token 2 'GPU-dc4050'"},
        Case{"padded to 16 digits", kAll, {"GPU-005012f9bd2c780b", kUnset, kUnset}, {0}},
        Case{"unpadded is another prefix",
             kAll,
             {"GPU-5012f9bd2c780b", kUnset, kUnset},
             {},
             "token 1"},
        Case{"unknown id never matches", kAll, {"GPU-XX", kUnset, kUnset}, {}, "token 1"},
        Case{"not a prefix", kAll, {"GPU-8fc1269c2f61ce", kUnset, kUnset}, {}, "token 1"},
        Case{"mixed with numbers", kAll, {"2,GPU-1d", kUnset, kUnset}, {2, 1}},
        Case{"same as a number before", kAll, {"1,GPU-1d,3", kUnset, kUnset}, {1}, "is repeated"}));

INSTANTIATE_TEST_SUITE_P(
    Hip, Composition,
    ::testing::Values(
        Case{"subset", kAll, {kUnset, "4,5", kUnset}, {4, 5}},
        Case{"reorders", kAll, {kUnset, "3,0", kUnset}, {3, 0}},
        Case{"empty is unset",
             kAll,
             {kUnset, "", kUnset},
             kAll,
             "HIP_VISIBLE_DEVICES: set but empty: as if it were unset"},
        Case{"minus one", kAll, {kUnset, "-1", kUnset}, {}, "token 1 '-1' is outside 0..7"},
        Case{"out of range cuts",
             kAll,
             {kUnset, "1,8,2", kUnset},
             {1},
             "HIP_VISIBLE_DEVICES: token 2 '8' is outside 0..7"},
        Case{"bad word cuts",
             kAll,
             {kUnset, "1,two,2", kUnset},
             {1},
             "token 2 'two' is no GPU number"},
        Case{"duplicate is skipped",
             kAll,
             {kUnset, "0,0,2", kUnset},
             {0, 2},
             "token 2 '0' is repeated and skipped"},
        Case{"blank before a number cuts",
             kAll,
             {kUnset, "0, 4", kUnset},
             {0},
             "token 2 ' 4' is not a plain number"},
        Case{"leading zero cuts",
             kAll,
             {kUnset, "0,04,1", kUnset},
             {0},
             "token 2 '04' is not a plain number"},
        Case{"hexadecimal cuts", kAll, {kUnset, "0x1", kUnset}, {}, "token 1 '0x1'"},
        Case{"plus sign cuts", kAll, {kUnset, "+1", kUnset}, {}, "token 1 '+1'"},
        Case{"last comma", kAll, {kUnset, "0,1,", kUnset}, {0, 1}},
        Case{"empty token cuts", kAll, {kUnset, "0,,1", kUnset}, {0}, "token 2 ''"},
        Case{"only a comma", kAll, {kUnset, ",", kUnset}, {}, "token 1 ''"},
        Case{"only a blank", kAll, {kUnset, " ", kUnset}, {}, "token 1 ' '"},
        Case{"wraps nowhere", kAll, {kUnset, "4294967297", kUnset}, {}, "token 1"},
        Case{"no device", {}, {kUnset, "0", kUnset}, {}, "names a GPU where there is none"}));

INSTANTIATE_TEST_SUITE_P(
    HipUuid, Composition,
    ::testing::Values(
        Case{"full", kAll, {kUnset, "GPU-1d8fc1269c2f61ce", kUnset}, {1}},
        Case{"prefix", kAll, {kUnset, "GPU-d9a1,0", kUnset}, {6, 0}},
        Case{"first of several wins", kAll, {kUnset, "GPU-dc4050", kUnset}, {2}},
        Case{"case matters", kAll, {kUnset, "GPU-1D8F", kUnset}, {}, "is no GPU number or UUID"},
        Case{"the word alone is the first GPU", kAll, {kUnset, "GPU-", kUnset}, {0}},
        Case{"unknown id has a name", kAll, {kUnset, "GPU-XX", kUnset}, {7}},
        Case{"must hold the word",
             kAll,
             {kUnset, "8fc1269c", kUnset},
             {},
             "is no GPU number or UUID"},
        Case{"older HIP knows none",
             kAll,
             {kUnset, "0,GPU-1d8fc1269c2f61ce", kUnset},
             {0},
             "token 2",
             HipUuidRule::kNone},
        Case{"older HIP sees nothing",
             kAll,
             {kUnset, "GPU-1d8fc1269c2f61ce", kUnset},
             {},
             "token 1",
             HipUuidRule::kNone}));

INSTANTIATE_TEST_SUITE_P(
    Cuda, Composition,
    ::testing::Values(Case{"stands in for HIP", kAll, {kUnset, kUnset, "2,3"}, {2, 3}},
                      Case{"HIP wins",
                           kAll,
                           {kUnset, "0", "2,3"},
                           {0},
                           "CUDA_VISIBLE_DEVICES: ignored: HIP_VISIBLE_DEVICES is set"},
                      Case{"empty HIP gives way",
                           kAll,
                           {kUnset, "", "2,3"},
                           {2, 3},
                           "HIP_VISIBLE_DEVICES: set but empty"},
                      Case{"empty is unset",
                           kAll,
                           {kUnset, kUnset, ""},
                           kAll,
                           "CUDA_VISIBLE_DEVICES: set but empty"},
                      Case{"reads as HIP does",
                           kAll,
                           {kUnset, kUnset, "0,04"},
                           {0},
                           "CUDA_VISIBLE_DEVICES: token 2 '04'"}));

// Every variable holds Slurm's ids, as many scripts do it.
VisibilityEnv all_three(const std::string& ids) {
  return {ids, ids, ids};
}

INSTANTIATE_TEST_SUITE_P(
    AllVariablesHoldSlurmsIds, Composition,
    ::testing::Values(Case{"0-3 by luck",
                           kAll,
                           all_three("0,1,2,3"),
                           {0, 1, 2, 3},
                           "CUDA_VISIBLE_DEVICES: ignored"},
                      Case{"4-7 see nothing",
                           kAll,
                           all_three("4,5,6,7"),
                           {},
                           "HIP_VISIBLE_DEVICES: token 1 '4' is outside 0..3"},
                      Case{"2-5 see half",
                           kAll,
                           all_three("2,3,4,5"),
                           {4, 5},
                           "HIP_VISIBLE_DEVICES: token 3 '4' is outside 0..3"},
                      Case{"cross becomes same", kAll, all_three("0,1,4,5"), {0, 1}, "token 3 '4'"},
                      Case{"even ids", kAll, all_three("0,2,4,6"), {0, 4}, "token 3 '4'"},
                      Case{"one GPU of Frontier",
                           kAll,
                           {"1", kUnset, "1"},
                           {},
                           "CUDA_VISIBLE_DEVICES: token 1 '1' is outside 0..0"},
                      Case{"Ray beside Slurm",
                           kAll,
                           {"1", kUnset, "0,1"},
                           {1},
                           "CUDA_VISIBLE_DEVICES: token 2 '1' is outside 0..0"},
                      Case{"HIP of the submit shell",
                           kAll,
                           {"4,5,6,7", "9", kUnset},
                           {},
                           "HIP_VISIBLE_DEVICES: token 1 '9'"},
                      Case{"positions compose", kAll, {"4,5,6,7", "0,1,2,3", kUnset}, {4, 5, 6, 7}},
                      Case{"positions in ROCR's order", kAll, {"7,5,3", "2,0", kUnset}, {3, 7}}));

TEST(Composition, NamesEveryLayerInOrder) {
  const Visibility result = compose_visibility(node(kAll), {"4,5", "1", kUnset});
  ASSERT_EQ(result.layers.size(), 4U);
  EXPECT_EQ(result.layers[0].name, "devices");
  EXPECT_EQ(result.layers[1].name, "ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(result.layers[1].value, "4,5");
  EXPECT_THAT(physical(result.layers[1].remaining), ElementsAre(4, 5));
  EXPECT_EQ(result.layers[2].name, "HIP_VISIBLE_DEVICES");
  EXPECT_EQ(result.layers[3].name, "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(result.layers[3].value, std::nullopt);
  EXPECT_THAT(physical(result.visible), ElementsAre(5));
}

TEST(Composition, NotesAreSafeToPrint) {
  const Visibility result = compose_visibility(node(kAll), {kUnset, "\x1b[31m", kUnset});
  EXPECT_THAT(result.layers[2].note, StartsWith("token 1 '?[31m'"));
}

TEST(RuntimeDevices, FollowKfdWhereItIsKnown) {
  Topology topology;
  for (const int kfd_node : {3, 4, 2}) {
    Gpu gpu;
    gpu.index = static_cast<int>(topology.gpus.size());
    gpu.pci = pci(gpu.index);
    gpu.kfd_node = kfd_node;
    topology.gpus.push_back(gpu);
  }
  EXPECT_THAT(physical(runtime_devices(topology)), ElementsAre(2, 0, 1));
  topology.gpus[1].kfd_node = -1;
  EXPECT_THAT(physical(runtime_devices(topology)), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace sglexp
