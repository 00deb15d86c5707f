// SPDX-License-Identifier: Apache-2.0
#include "harness/store/migration.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/store/schema.h"
#include "harness/store/store.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

class MigrationTest : public ::testing::Test {
 protected:
  Database open() {
    auto database = Database::open(path_, Database::Access::kReadWrite);
    EXPECT_TRUE(database.ok()) << database.error().message;
    return std::move(database).value();
  }
  // The error of opening the file as a store; fails if it opens.
  Error refusal(OpenMode mode = OpenMode::kReadWrite) {
    const auto store = Store::open(path_, mode);
    EXPECT_FALSE(store.ok());
    return store.ok() ? Error{} : store.error();
  }

  TempDir dir_;
  std::string path_ = dir_.path() + "/sglexp.db";
};

constexpr Migration kSecond = {2, "add a table", "CREATE TABLE extra(x INTEGER) STRICT;"};

TEST_F(MigrationTest, MakesANewDatabaseThatSaysWhoseItIs) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  Database database = open();
  EXPECT_EQ(database.integer("PRAGMA application_id").value(), kApplicationId);
  EXPECT_EQ(database.integer("PRAGMA user_version").value(), migrations().back().version);
  EXPECT_EQ(database.integer("SELECT count(*) FROM schema_migration").value(),
            static_cast<std::int64_t>(migrations().size()));
  EXPECT_EQ(database.text("PRAGMA integrity_check").value(), "ok");
}

TEST_F(MigrationTest, EveryTableIsStrict) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  Database database = open();
  EXPECT_EQ(database
                .integer("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND "
                         "type = 'table' AND name NOT LIKE 'sqlite_%' AND strict = 0")
                .value(),
            0);
}

TEST_F(MigrationTest, CreatesMissingDirectories) {
  path_ = dir_.path() + "/a/b/sglexp.db";
  EXPECT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
}

TEST_F(MigrationTest, OpensItAgainWithoutChangingIt) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  const std::int64_t before = open().integer("PRAGMA schema_version").value();
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadOnly).ok());
  EXPECT_EQ(open().integer("PRAGMA schema_version").value(), before);
}

TEST_F(MigrationTest, CopiesAnOlderDatabaseBeforeItChangesIt) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  std::ofstream(path_ + ".v1.backup") << "an earlier copy";
  const std::array known = {migrations()[0], kSecond};
  {
    Database database = open();
    ASSERT_TRUE(migrate(database, known).ok());
    EXPECT_EQ(database.integer("PRAGMA user_version").value(), 2);
    EXPECT_TRUE(database.integer("SELECT count(*) FROM extra").ok());
  }
  auto copy = Database::open(path_ + ".v1.backup-2", Database::Access::kReadOnly);
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  EXPECT_EQ(copy->integer("PRAGMA user_version").value(), 1);
  EXPECT_EQ(copy->integer("PRAGMA application_id").value(), kApplicationId);
  EXPECT_EQ(read_file(path_ + ".v1.backup").value(), "an earlier copy");
}

TEST_F(MigrationTest, AFailingChangeLeavesTheOldVersion) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  const std::array known = {migrations()[0],
                            Migration{2, "bad", "CREATE TABLE extra(x); CREATE TABLE run(x);"}};
  Database database = open();
  const Status done = migrate(database, known);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("schema change 2 (bad)"));
  EXPECT_EQ(database.integer("PRAGMA user_version").value(), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").value(), 0);
}

TEST_F(MigrationTest, RefusesADatabaseOfANewerProgram) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  ASSERT_TRUE(open().execute("PRAGMA user_version=99").ok());
  const Error error = refusal();
  EXPECT_EQ(error.code, ErrorCode::kInvalidInput);
  EXPECT_THAT(error.message, HasSubstr("schema version 99"));
  EXPECT_THAT(error.message, HasSubstr("upgrade sglexp"));
}

TEST_F(MigrationTest, RefusesAChangedSchemaHistory) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  ASSERT_TRUE(open()
                  .execute("UPDATE schema_migration SET sha256 = "
                           "'0000000000000000000000000000000000000000000000000000000000000000'")
                  .ok());
  EXPECT_THAT(refusal().message, HasSubstr("schema change 1 (initial) is not the one"));
  ASSERT_TRUE(open().execute("DELETE FROM schema_migration").ok());
  EXPECT_EQ(refusal(OpenMode::kReadOnly).code, ErrorCode::kInvalidInput);
}

TEST_F(MigrationTest, RefusesAnotherProgramsDatabase) {
  ASSERT_TRUE(open().execute("CREATE TABLE theirs(x); PRAGMA application_id=0x12345").ok());
  EXPECT_THAT(refusal().message, HasSubstr("another program (application id 0x12345)"));
  ASSERT_TRUE(open().execute("PRAGMA application_id=0").ok());
  EXPECT_THAT(refusal().message, HasSubstr("another program"));
  EXPECT_EQ(open().integer("SELECT count(*) FROM sqlite_schema").value(), 1);
}

TEST_F(MigrationTest, RefusesAFileThatIsNoDatabase) {
  std::ofstream(path_) << std::string(4096, 'x');
  const Error error = refusal();
  EXPECT_EQ(error.code, ErrorCode::kInvalidInput);
  EXPECT_THAT(error.message, HasSubstr("not a SQLite database"));
  EXPECT_THAT(error.message, HasSubstr(path_));
}

TEST_F(MigrationTest, SaysThatADamagedDatabaseIsDamaged) {
  ASSERT_TRUE(Store::open(path_, OpenMode::kReadWrite).ok());
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);  // behind the header: the first page's b-tree
    file << std::string(3900, '\xEE');
  }
  const Error error = refusal();
  EXPECT_EQ(error.code, ErrorCode::kInvalidInput);
  EXPECT_THAT(error.message, HasSubstr("damaged"));
  EXPECT_THAT(error.message, HasSubstr("restore a copy"));
}

TEST_F(MigrationTest, ReadOnlyNeverCreatesOrMigrates) {
  EXPECT_EQ(refusal(OpenMode::kReadOnly).code, ErrorCode::kNotFound);
  EXPECT_FALSE(path_exists(path_));
  std::ofstream(path_).flush();  // empty file
  EXPECT_EQ(refusal(OpenMode::kReadOnly).code, ErrorCode::kNotFound);
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
}

TEST_F(MigrationTest, RefusesAnEmptyPathAndADirectory) {
  EXPECT_FALSE(Store::open("", OpenMode::kReadWrite).ok());
  const auto store = Store::open(dir_.path(), OpenMode::kReadWrite);
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().message, HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace sglexp
