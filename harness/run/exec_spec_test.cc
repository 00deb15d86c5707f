// SPDX-License-Identifier: Apache-2.0
#include "harness/run/exec_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/text.h"

namespace sglexp {
namespace {

using ::testing::HasSubstr;

ExecSpec full_spec() {
  return {.name = "w0",
          .node = "mi210-01",
          .run_token = "ab12cd34ef56",
          .topology_file = "/share/mi210.json",
          .gpus = {"0000:05:00.0", "0000:26:00.0"},
          .cpus = {0, 1, 2},
          .mem_nodes = {0},
          .bind = false,
          .address = "10.0.0.1",
          .ports = {20000, 20001},
          .argv = {"python3", "-m", "sglang.launch_server", "--model-path", "a b"},
          .env = {{"HF_HUB_OFFLINE", "1"}, {"EMPTY", ""}},
          .cache_root = "/tmp/u/sglexp/j/n",
          .status_file = "/runs/a/w0.status.json",
          .grace = Millis(1500),
          .levels = {{"worker_visibility", CheckLevel::kRequired},
                     {"worker_binding", CheckLevel::kOptional},
                     {"ports_free", CheckLevel::kOff}}};
}

std::string with(std::string json, const std::string& from, const std::string& to) {
  const std::size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in " << json;
  return json.replace(at, from.size(), to);
}

TEST(ExecSpec, ComesBackWhole) {
  const ExecSpec spec = full_spec();
  const auto back = parse_exec_spec(exec_spec_to_json(spec));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->name, spec.name);
  EXPECT_EQ(back->node, spec.node);
  EXPECT_EQ(back->run_token, spec.run_token);
  EXPECT_EQ(back->topology_file, spec.topology_file);
  EXPECT_EQ(back->gpus, spec.gpus);
  EXPECT_EQ(back->cpus, spec.cpus);
  EXPECT_EQ(back->mem_nodes, spec.mem_nodes);
  EXPECT_EQ(back->bind, spec.bind);
  EXPECT_EQ(back->address, spec.address);
  EXPECT_EQ(back->ports, spec.ports);
  EXPECT_EQ(back->argv, spec.argv);
  EXPECT_EQ(back->env, spec.env);
  EXPECT_EQ(back->cache_root, spec.cache_root);
  EXPECT_EQ(back->status_file, spec.status_file);
  EXPECT_EQ(back->grace, spec.grace);
  EXPECT_EQ(back->levels, spec.levels);
}

TEST(ExecSpec, SaysWhatIsWrong) {
  const std::string good = exec_spec_to_json(full_spec());
  const auto message = [](const std::string& text) {
    const auto parsed = parse_exec_spec(text);
    EXPECT_FALSE(parsed.ok()) << text;
    EXPECT_TRUE(parsed.ok() || parsed.error().code == ErrorCode::kInvalidInput);
    return parsed.ok() ? "" : parsed.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("exec specification"));
  EXPECT_THAT(message("[]"), HasSubstr("exec specification"));
  EXPECT_THAT(message(with(good, "\"argv\"", "\"arg\"")), HasSubstr("argv"));
  EXPECT_THAT(message(with(good, "1500000000", "\"1.5s\"")), HasSubstr("must be number"));
}

TEST(ExecSpec, RefusesALevelThatDoesNotExist) {
  const std::string text =
      with(exec_spec_to_json(full_spec()), "\"ports_free\": 2", "\"ports_free\": 9");
  EXPECT_FALSE(parse_exec_spec(text).ok());
}

TEST(ExecStatus, ComesBackWhole) {
  const ExecStatus status{.state = ExecState::kEnded,
                          .checks = {{.id = "ports_free",
                                      .node = "mi210-01",
                                      .verdict = CheckVerdict::kFail,
                                      .observed = "20000: Address already in use"}},
                          .pid = 321,
                          .observed_cpus = "0-31",
                          .observed_gpus = {"0000:05:00.0"},
                          .ended = "exit code 1",
                          .stopped_by_us = true,
                          .leftovers = 2};
  const auto back = parse_exec_status(exec_status_to_json(status));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->state, status.state);
  ASSERT_EQ(back->checks.size(), 1U);
  EXPECT_EQ(back->checks[0].observed, status.checks[0].observed);
  EXPECT_EQ(back->checks[0].verdict, CheckVerdict::kFail);
  EXPECT_EQ(back->pid, status.pid);
  EXPECT_EQ(back->observed_cpus, status.observed_cpus);
  EXPECT_EQ(back->observed_gpus, status.observed_gpus);
  EXPECT_EQ(back->ended, status.ended);
  EXPECT_TRUE(back->stopped_by_us);
  EXPECT_EQ(back->leftovers, 2);
}

TEST(ExecStatus, KeepsBytesThatAreNotText) {
  const auto back = parse_exec_status(exec_status_to_json({.observed_cpus = "\xff\xfe"}));
  ASSERT_TRUE(back.ok());
  EXPECT_FALSE(back->observed_cpus.empty());
}

TEST(ExecStatus, RefusesAStateThatDoesNotExist) {
  const std::string good = exec_status_to_json({.state = ExecState::kRunning});
  EXPECT_TRUE(parse_exec_status(good).ok());
  EXPECT_FALSE(parse_exec_status(with(good, "\"state\":1", "\"state\":7")).ok());
  EXPECT_FALSE(parse_exec_status(with(good, "\"checks\":[]", "\"checks\":7")).ok());
  EXPECT_FALSE(parse_exec_status("{").ok());
}

TEST(Owner, NamesTheRun) {
  EXPECT_EQ(owner_value("ab12"), "sglexp-ab12");
}

}  // namespace
}  // namespace sglexp
