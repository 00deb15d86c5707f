// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/locate.h"

#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The user's own files and variables, and the files that ship, all in one directory of this test.
class Locate : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SGLEXP_DB", "SGLEXP_CLUSTER"}) {
      const char* value = std::getenv(name);
      saved_[name] = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
    set("HOME", root_.path() + "/home");
    ship("scenarios/numa_compare.yaml");
    ship("scenarios/env_smoke.yaml");
    ship("scenarios/README.md");
    ship("scenarios/clusters/mock.yaml");
    ship("scenarios/clusters/lumi.yaml");
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }
  void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }
  std::string write(const std::string& path) {
    EXPECT_TRUE(make_directories(path.substr(0, path.rfind('/'))).ok());
    EXPECT_TRUE(write_file_atomic(path, "x").ok());
    return path;
  }
  std::string ship(const std::string& file) { return write(paths_.share + "/" + file); }

  TempDir root_;
  InstallPaths paths_{.share = root_.path() + "/share"};
  std::map<std::string, std::optional<std::string>> saved_;
};

TEST_F(Locate, ANameMeansAFileThatShips) {
  EXPECT_EQ(*locate_scenario("numa_compare", paths_),
            paths_.share + "/scenarios/numa_compare.yaml");
  EXPECT_EQ(*locate_profile("lumi", paths_), paths_.share + "/scenarios/clusters/lumi.yaml");
}

TEST_F(Locate, TheUsersOwnFileComesFirst) {
  const std::string own = write(root_.path() + "/home/.config/sglexp/scenarios/numa_compare.yaml");
  EXPECT_EQ(*locate_scenario("numa_compare", paths_), own);
  set("XDG_CONFIG_HOME", root_.path() + "/xdg");
  const std::string profile = write(root_.path() + "/xdg/sglexp/clusters/mine.yaml");
  EXPECT_EQ(*locate_profile("mine", paths_), profile);
}

TEST_F(Locate, AWordWithASlashOrYamlIsAPath) {
  const std::string own = write(root_.path() + "/here/x.yaml");
  EXPECT_EQ(*locate_scenario(own, paths_), own);
  const auto none = locate_scenario("./numa_compare", paths_);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(locate_scenario("numa_compare.yaml", paths_).ok());
}

TEST_F(Locate, AMisspeltNameGetsASuggestionAndTheList) {
  const auto none = locate_scenario("numa_compar\x1b[1m", paths_);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message,
              AllOf(HasSubstr("numa_compar"), HasSubstr("env_smoke, numa_compare"),
                    ::testing::Not(HasSubstr("\x1b"))));
  EXPECT_THAT(locate_scenario("numa_comparr", paths_).error().message,
              HasSubstr("did you mean 'numa_compare'?"));
}

TEST_F(Locate, TheMockIsNeverChosenSilently) {
  const auto none = locate_profile("", paths_);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(none.error().message,
              AllOf(HasSubstr("--cluster"), HasSubstr("SGLEXP_CLUSTER"), HasSubstr("lumi, mock")));
}

TEST_F(Locate, TheEnvironmentMayNameTheCluster) {
  set("SGLEXP_CLUSTER", "lumi");
  EXPECT_EQ(*locate_profile("", paths_), paths_.share + "/scenarios/clusters/lumi.yaml");
  EXPECT_EQ(*locate_profile("mock", paths_), paths_.share + "/scenarios/clusters/mock.yaml");
}

TEST_F(Locate, TheDatabaseByOptionVariableThenDefault) {
  EXPECT_EQ(*database_path(""), root_.path() + "/home/.local/share/sglexp/sglexp.db");
  set("XDG_DATA_HOME", "/data");
  EXPECT_EQ(*database_path(""), "/data/sglexp/sglexp.db");
  set("SGLEXP_DB", "/db/a/../x.db");
  EXPECT_EQ(*database_path(""), "/db/x.db");
  EXPECT_EQ(*database_path("/y.db"), "/y.db");
  EXPECT_TRUE(database_path("relative.db")->starts_with('/'));
}

TEST_F(Locate, WithoutAHomeThePathMustBeNamed) {
  unsetenv("HOME");
  const auto none = database_path("");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, AllOf(HasSubstr("XDG_DATA_HOME"), HasSubstr("HOME")));
  EXPECT_EQ(list_scenarios(paths_).size(), 2U);  // what ships is still there
}

TEST_F(Locate, RunsByOptionProfileThenBesideTheDatabase) {
  EXPECT_EQ(*runs_path("/r", "/shared", "/d/x.db"), "/r");
  EXPECT_EQ(*runs_path("", "/shared", "/d/x.db"), "/shared");
  EXPECT_EQ(*runs_path("", "", "/d/x.db"), "/d/runs");
}

}  // namespace
}  // namespace sglexp
