// SPDX-License-Identifier: Apache-2.0
// Detach, attach, cancel, Ctrl-C, a queue that does not move, old run directories.
#include <signal.h>

#include <filesystem>

#include "harness/e2e/world.h"

namespace sglexp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class MockLifecycle : public World {
 protected:
  static std::vector<std::string> run_args(std::vector<std::string> more) {
    std::vector<std::string> args = {"run",  "numa_compare", "--cluster",
                                     "mock", "--set",        "repeats.blocks=1"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  [[nodiscard]] std::string active_run() {
    const Completed done = sglexp({"runs", "--active", "--json"});
    const json rows = json::parse(done.out, nullptr, false);
    return rows.is_object() && !rows["runs"].empty() ? rows["runs"][0].value("run", "") : "";
  }
};

TEST_F(MockLifecycle, DetachedRunIsFollowedLaterAndEndsAlike) {
  const Completed started = sglexp(run_args({"--detach"}));
  ASSERT_EQ(started.status.code, 0) << started.err;
  const std::string id = started.out.substr(0, 36);
  EXPECT_EQ(active_run(), id);
  EXPECT_THAT(sglexp({"status", id}).out, HasSubstr("job"));
  const Completed attached = sglexp({"attach", id, "--json"});
  const json run = json::parse(attached.out);
  EXPECT_EQ(run["outcome"], "passed") << attached.err;
  EXPECT_EQ(run["trials"].size(), 6U);
  // Once more: nothing happens twice.
  EXPECT_EQ(json::parse(sglexp({"attach", id, "--json"}).out)["trials"].size(), 6U);
  EXPECT_EQ(active_run(), "");
}

TEST_F(MockLifecycle, AControllerThatWasKilledIsTakenOver) {
  const auto child = start_sglexp(run_args({}), path() + "/out");
  ASSERT_TRUE(wait_for([&] {
    return read_file(path() + "/out").ok() &&
           read_file(path() + "/out")->find("slot 1/") != std::string::npos;
  }));
  child->signal(SIGKILL);
  ASSERT_TRUE(wait_for([&] { return child->poll().has_value(); }));
  const json run = json::parse(sglexp({"attach", "latest", "--json"}).out);
  EXPECT_EQ(run["outcome"], "passed");
  EXPECT_EQ(run["trials"].size(), 6U);
  EXPECT_EQ(run["jobs"].size(), 1U);
}

TEST_F(MockLifecycle, CtrlCCancelsTearsDownAndExits130) {
  const auto child =
      start_sglexp(run_args({"--set", "load.points.c4.requests=400"}), path() + "/out");
  ASSERT_TRUE(wait_for([&] {
    return read_file(path() + "/out").ok() &&
           read_file(path() + "/out")->find("slot 1/") != std::string::npos;
  }));
  child->signal(SIGINT);
  ASSERT_TRUE(wait_for([&] { return child->poll().has_value(); }, Seconds(60)));
  EXPECT_EQ(child->poll()->code, 130);
  EXPECT_EQ(json::parse(sglexp({"show", "latest", "--json"}).out)["outcome"], "cancelled");
  EXPECT_EQ(active_run(), "");
}

TEST_F(MockLifecycle, CancelEndsTheJobAndConcludesTheRun) {
  const Completed started = sglexp(run_args({"--detach", "--set", "load.points.c4.requests=400"}));
  const std::string id = started.out.substr(0, 36);
  const Completed cancelled = sglexp({"cancel", id});
  EXPECT_EQ(cancelled.status.code, 0) << cancelled.err;
  EXPECT_EQ(json::parse(sglexp({"show", id, "--json"}).out)["outcome"], "cancelled");
  EXPECT_EQ(active_run(), "");
}

TEST_F(MockLifecycle, AQueueThatDoesNotMoveEndsInQueueTimeout) {
  script_faults(R"([{"when": {}, "do": {"action": "pend_forever", "reason": "Resources"}}])");
  const Completed done = sglexp(run_args({"--set", "deadlines.queue=2s", "--json"}));
  const json run = json::parse(done.out);
  EXPECT_EQ(run["outcome"], "queue_timeout") << done.err;
  EXPECT_EQ(run["exit_code"], 5);
  EXPECT_THAT(run["failure"]["cause"].get<std::string>(), HasSubstr("Resources"));
}

TEST_F(MockLifecycle, ARefusedJobSaysWhatSlurmSaid) {
  const Completed done = sglexp(run_args({"--partition", "nope", "--json"}));
  const json run = json::parse(done.out);
  EXPECT_EQ(run["exit_code"], 2) << done.err;
  EXPECT_THAT(run["failure"]["cause"].get<std::string>(), HasSubstr("nvalid partition"));
}

TEST_F(MockLifecycle, CleanRemovesOldDirectoriesAndKeepsTheNumbers) {
  const json run = run_json({"laptop_smoke", "--cluster", "mock"});
  const std::string directory = run["paths"]["run_dir"];
  EXPECT_THAT(sglexp({"clean", "--older-than", "1d"}).out, HasSubstr("0 "));
  EXPECT_TRUE(path_exists(directory));
  EXPECT_THAT(sglexp({"clean", "--older-than", "0s", "--dry-run"}).out, HasSubstr(directory));
  EXPECT_TRUE(path_exists(directory));
  EXPECT_EQ(sglexp({"clean", "--older-than", "0s"}).status.code, 0);
  EXPECT_FALSE(path_exists(directory));
  EXPECT_EQ(json::parse(sglexp({"show", "latest", "--json"}).out)["run"], run["run"]);
}

TEST_F(MockLifecycle, TheInstalledTreeRunsOnItsOwn) {
  const auto installed = runner_.run(
      {.argv = {"cmake", "--install", SGLEXP_BUILD_DIR, "--prefix", path() + "/prefix"}});
  ASSERT_TRUE(installed.ok() && installed->status.success()) << installed->err;
  const auto done = runner_.run(
      {.argv = {path() + "/prefix/bin/sglexp", "run", "laptop_smoke", "--cluster", "mock"},
       .env_set = {{"HOME", path()}, {"SGLEXP_DB", database()}, {"MOCK_SLURM_STATE", mock_state()}},
       .timeout = Seconds(60)});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->status.code, 0) << done->err;
}

}  // namespace
}  // namespace sglexp
