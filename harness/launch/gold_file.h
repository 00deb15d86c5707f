// SPDX-License-Identifier: Apache-2.0
// Rendered text against the file that people reviewed: fixtures/gold/launch/NAME.txt.
// SGLEXP_UPDATE_GOLD=1 writes the files anew; look at the difference before you commit it.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "harness/sys/files.h"

namespace sglexp {

inline void expect_gold(const std::string& name, const std::string& text) {
  const std::string path =
      std::string(SGLEXP_SOURCE_DIR) + "/fixtures/gold/launch/" + name + ".txt";
  if (std::getenv("SGLEXP_UPDATE_GOLD") != nullptr) {
    ASSERT_TRUE(write_file_atomic(path, text).ok()) << path;
  }
  const auto gold = read_file(path);
  ASSERT_TRUE(gold.ok()) << gold.error().message << ": run once with SGLEXP_UPDATE_GOLD=1";
  EXPECT_EQ(*gold, text) << path;
}

// One word a line: the boundaries between words are what matters.
[[nodiscard]] inline std::string one_a_line(const std::vector<std::string>& words) {
  return join(words, "\n") + "\n";
}

}  // namespace sglexp
