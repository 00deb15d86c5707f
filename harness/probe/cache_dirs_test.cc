// SPDX-License-Identifier: Apache-2.0
#include "harness/probe/cache_dirs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"

namespace sglexp {
namespace {

TEST(CacheDirs, RootIsPrivateToUserJobAndNode) {
  EXPECT_EQ(expand_cache_root("/tmp/{user}/{job}/{node}", "ann", "7", "n1"), "/tmp/ann/7/n1");
}

TEST(CacheDirs, AreCreatedBelowTheRootAndWritable) {
  const TempDir dir;
  const auto environment = cache_environment(dir.path() + "/c");
  ASSERT_TRUE(create_cache_dirs(environment).ok());
  EXPECT_TRUE(path_exists(environment.at("TRITON_CACHE_DIR")));
  EXPECT_THAT(environment.at("AITER_JIT_DIR"), ::testing::StartsWith(dir.path()));
}

TEST(CacheDirs, SayWhichVariableCannotBeUsed) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomic(dir.path() + "/file", "").ok());
  const Status made = create_cache_dirs({{"TRITON_CACHE_DIR", dir.path() + "/file/x"}});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, ::testing::HasSubstr("TRITON_CACHE_DIR"));
  EXPECT_FALSE(inspect_cache_root(dir.path() + "/file/x").writable);
  EXPECT_TRUE(inspect_cache_root(dir.path()).writable);
}

}  // namespace
}  // namespace sglexp
