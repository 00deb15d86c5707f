// SPDX-License-Identifier: Apache-2.0
#include "harness/load/prompts.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/base/text.h"

namespace sglexp {
namespace {

TEST(Prompts, DependOnSeedAndSeqAlone) {
  EXPECT_EQ(make_prompt(7, 3, 20), make_prompt(7, 3, 20));
  EXPECT_NE(make_prompt(7, 3, 20), make_prompt(8, 3, 20));
  EXPECT_NE(make_prompt(7, 3, 20), make_prompt(7, 4, 20));
  // Pinned: prompts must stay the same from release to release, or results stop being comparable.
  EXPECT_EQ(make_prompt(1, 0, 6), "home woman area head ask girl");
}

TEST(Prompts, HaveTheNumberOfWordsAskedFor) {
  EXPECT_EQ(split(make_prompt(1, 0, 128), ' ').size(), 128U);
  EXPECT_EQ(split(make_prompt(1, 0, 1), ' ').size(), 1U);
}

TEST(Prompts, ShareNoLongPrefix) {
  std::set<std::string> openings;
  for (int seq = 0; seq < 500; ++seq) {
    openings.insert(make_prompt(1, seq, 4));
  }
  EXPECT_EQ(openings.size(), 500U);
}

}  // namespace
}  // namespace sglexp
