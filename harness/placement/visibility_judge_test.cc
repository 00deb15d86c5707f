// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/placement/test_devices.h"
#include "harness/placement/visibility.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Text = std::optional<std::string>;

VisibilityJudgement judge(const std::vector<int>& devices, const VisibilityEnv& env,
                          const std::vector<int>& expected) {
  return judge_visibility(compose_visibility(node(devices), env), addresses(expected));
}

const std::vector<int> kHigh = {4, 5, 6, 7};

TEST(VisibilityJudgement, IsOkInAnyOrder) {
  const VisibilityJudgement ok = judge(kAll, {"4,5,6,7", "3,2,1,0", kUnset}, kHigh);
  EXPECT_TRUE(ok.ok);
  EXPECT_THAT(ok.missing, IsEmpty());
  EXPECT_THAT(ok.extra, IsEmpty());
  EXPECT_EQ(ok.cause, "");
  EXPECT_EQ(ok.remedy, "");
}

TEST(VisibilityJudgement, NamesDoubleIndexing) {
  const VisibilityJudgement bad = judge(kAll, {"4,5,6,7", "4,5,6,7", kUnset}, kHigh);
  EXPECT_FALSE(bad.ok);
  EXPECT_EQ(bad.missing, addresses(kHigh));
  EXPECT_EQ(
      bad.cause,
      "HIP_VISIBLE_DEVICES=4,5,6,7 indexes into the 4 GPUs that ROCR_VISIBLE_DEVICES left (0..3): "
      "no GPU visible (token 1 '4' is outside 0..3; it and the rest are dropped)");
  EXPECT_EQ(bad.remedy, "unset HIP_VISIBLE_DEVICES, or set it to 0,1,2,3");
}

TEST(VisibilityJudgement, NamesTheSilentHalf) {
  const VisibilityJudgement bad = judge(kAll, {"2,3,4,5", "2,3,4,5", kUnset}, {2, 3, 4, 5});
  EXPECT_EQ(bad.missing, addresses({2, 3}));
  EXPECT_THAT(bad.extra, IsEmpty());
  EXPECT_THAT(bad.cause, HasSubstr("left (0..3): 2 of 4 GPUs visible (token 3 '4' is outside"));
}

TEST(VisibilityJudgement, NamesCudaWhereCudaDoesIt) {
  const VisibilityJudgement bad = judge(kAll, {"1", kUnset, "1"}, {1});
  EXPECT_THAT(bad.cause, StartsWith("CUDA_VISIBLE_DEVICES=1 indexes into the 1 GPU that "
                                    "ROCR_VISIBLE_DEVICES left (0..0): no GPU"));
  EXPECT_EQ(bad.remedy, "unset CUDA_VISIBLE_DEVICES, or set it to 0");
}

TEST(VisibilityJudgement, MendsBothWhereBothAreSet) {
  EXPECT_EQ(
      judge(kAll, {"4,5,6,7", "4,5,6,7", "4,5,6,7"}, kHigh).remedy,
      "unset HIP_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES, or unset CUDA_VISIBLE_DEVICES and set "
      "HIP_VISIBLE_DEVICES to 0,1,2,3");
}

TEST(VisibilityJudgement, NamesAnotherNodesList) {
  const VisibilityJudgement bad = judge(kAll, {"4,5,6,7", kUnset, kUnset}, {0, 1, 2, 3});
  EXPECT_EQ(bad.extra, addresses(kHigh));
  EXPECT_THAT(bad.cause, StartsWith("ROCR_VISIBLE_DEVICES=4,5,6,7 selects GPUs 0000:04:00.0, "));
  EXPECT_THAT(bad.cause, HasSubstr("hides the planned GPUs 0000:00:00.0, "));
  EXPECT_EQ(bad.remedy, "set ROCR_VISIBLE_DEVICES to 0,1,2,3");
}

TEST(VisibilityJudgement, NamesGlobalIdsInsideADeviceCgroup) {
  const VisibilityJudgement bad = judge(kHigh, {"4,5,6,7", "4,5,6,7", kUnset}, kHigh);
  EXPECT_THAT(
      bad.cause,
      StartsWith("ROCR_VISIBLE_DEVICES=4,5,6,7 indexes into the 4 GPUs that this process can open "
                 "(0..3): no GPU visible"));
  EXPECT_EQ(bad.remedy, "unset HIP_VISIBLE_DEVICES and set ROCR_VISIBLE_DEVICES to 0,1,2,3");
}

TEST(VisibilityJudgement, NamesAnEmptyRocr) {
  const VisibilityJudgement bad = judge(kAll, {"", kUnset, kUnset}, {0});
  EXPECT_EQ(bad.cause, "ROCR_VISIBLE_DEVICES is set but empty, which hides every GPU");
  EXPECT_EQ(bad.remedy, "set ROCR_VISIBLE_DEVICES to 0");
}

TEST(VisibilityJudgement, NamesGpusThatNothingHides) {
  const VisibilityJudgement bad = judge(kAll, {}, {0, 1, 2, 3, 4, 5, 6});
  EXPECT_THAT(bad.missing, IsEmpty());
  EXPECT_THAT(bad.extra, ElementsAre(pci(7)));
  EXPECT_EQ(bad.cause, "GPU 0000:07:00.0 visible though not planned: no variable hides it");
  EXPECT_EQ(bad.remedy, "set HIP_VISIBLE_DEVICES to 0,1,2,3,4,5,6");
}

TEST(VisibilityJudgement, NamesAStepWithoutGpus) {
  const VisibilityJudgement bad = judge({}, {}, {0});
  EXPECT_THAT(bad.cause, HasSubstr("can open no GPU at all"));
  EXPECT_THAT(bad.remedy, HasSubstr("srun --gpus-per-node=N"));
}

TEST(VisibilityJudgement, NamesTheBatchHostsIdsOnAnotherNode) {
  const VisibilityJudgement bad = judge({0, 1, 2, 3}, {}, kHigh);
  EXPECT_THAT(bad.cause, HasSubstr("not among the 4 that this process can open (0000:00:00.0, "));
  EXPECT_THAT(bad.remedy, HasSubstr("SLURM_STEP_GPUS"));
}

// A reader of remedies: "unset A and B and set C to V", of which the first alternative counts.
VisibilityEnv follow(VisibilityEnv env, std::string remedy) {
  remedy = remedy.substr(0, remedy.find(", or "));
  const std::vector<std::string> words = split(remedy, ' ');
  const auto variable = [&](const std::string& name) -> Text* {
    return name == kRocrVariable   ? &env.rocr
           : name == kHipVariable  ? &env.hip
           : name == kCudaVariable ? &env.cuda
                                   : nullptr;
  };
  bool setting = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    setting = words[i] == "set" || (setting && words[i] != "unset");
    if (Text* const target = variable(words[i])) {
      *target = setting ? Text(words.at(i + 2)) : kUnset;
    }
  }
  return env;
}

Text random_list(Rng& rng) {
  const std::uint64_t kind = rng.below(6);
  if (kind == 0) {
    return kUnset;
  }
  std::vector<std::string> words;
  for (std::uint64_t i = 0; kind > 1 && i < 1 + rng.below(6); ++i) {
    words.push_back(rng.below(12) == 0 ? "x" : std::to_string(rng.below(9)));
  }
  return join(words, ",");
}

// Any environment, any plan among the GPUs that can be opened: the remedy is one that works.
TEST(VisibilityJudgement, ItsRemedyMends) {
  Rng rng(7);
  int bad = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<int> devices = kAll;
    rng.shuffle(devices);
    devices.resize(1 + rng.below(8));
    std::vector<int> expected = devices;
    expected.resize(rng.below(devices.size() + 1));
    const VisibilityEnv env{random_list(rng), random_list(rng), random_list(rng)};
    const VisibilityJudgement before = judge(devices, env, expected);
    if (!before.ok) {
      ++bad;
      ASSERT_NE(before.cause, "");
      const VisibilityEnv mended = follow(env, before.remedy);
      ASSERT_TRUE(judge(devices, mended, expected).ok)
          << "ROCR=" << env.rocr.value_or("(unset)") << " HIP=" << env.hip.value_or("(unset)")
          << " CUDA=" << env.cuda.value_or("(unset)") << ": " << before.remedy;
    }
  }
  EXPECT_GT(bad, 3000);
}

}  // namespace
}  // namespace sglexp
