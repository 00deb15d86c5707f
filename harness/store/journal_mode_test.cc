// SPDX-License-Identifier: Apache-2.0
#include "harness/store/journal_mode.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"

namespace sglexp {
namespace {

TEST(FileSystemKind, OnlyKnownLocalOnesAreLocal) {
  EXPECT_TRUE(file_system_kind(0xEF53).local);
  EXPECT_TRUE(file_system_kind(0x58465342).local);
  for (const std::uint64_t magic : {0x6969ULL, 0x0BD00BD0ULL, 0x47504653ULL, 0xFF534D42ULL,
                                    0x00C36400ULL, 0x19830326ULL, 0x65735546ULL}) {
    const FileSystemKind kind = file_system_kind(magic);
    EXPECT_FALSE(kind.local) << kind.name;
    EXPECT_NE(kind.name, "unknown");
  }
  EXPECT_FALSE(file_system_kind(0x12345678).local);
  EXPECT_EQ(file_system_kind(0x12345678).name, "unknown");
}

TEST(FileSystemOf, SaysWhichDirectoryIsMissing) {
  const auto kind = file_system_of("/nonexistent-dir/x.db");
  ASSERT_FALSE(kind.ok());
  EXPECT_EQ(kind.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(kind.error().message, ::testing::HasSubstr("/nonexistent-dir"));
}

TEST(WalProof, LeavesNoFileBehind) {
  const TempDir dir;
  EXPECT_TRUE(wal_works_beside(dir.path() + "/x.db"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(JournalMode, IsWalExactlyWhereTheFileSystemIsLocal) {
  const TempDir dir;
  const std::string path = dir.path() + "/x.db";
  auto database = Database::open(path, Database::Access::kReadWrite);
  ASSERT_TRUE(database.ok()) << database.error().message;
  ASSERT_TRUE(choose_journal_mode(*database).ok());
  const bool local = file_system_of(path)->local;
  EXPECT_EQ(database->text("PRAGMA journal_mode").value(), local ? "wal" : "truncate");
}

}  // namespace
}  // namespace sglexp
