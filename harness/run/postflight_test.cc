// SPDX-License-Identifier: Apache-2.0
#include "harness/run/postflight.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/exec_spec.h"
#include "harness/sys/files.h"
#include "harness/sys/proc_fs.h"
#include "harness/sys/process.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Postflight : public ::testing::Test {
 protected:
  // A process that belongs to the run with this token, and its file to say that it is there.
  std::unique_ptr<Child> start_marked(const std::string& token) {
    auto child = SystemProcessRunner().start(
        {.argv = {"sleep", "60"}, .env_set = {{kOwnerVariable, owner_value(token)}}});
    EXPECT_TRUE(child.ok()) << child.error().message;
    // Until its exec, the child shows this process's environment.
    for (int i = 0; i < 500 && processes_with_env(kOwnerVariable, owner_value(token)).empty();
         ++i) {
      clock_.sleep_for(Millis(1));
    }
    return *std::move(child);
  }

  TempDir dir_;
  SystemClock clock_;
  // Unique to this process: tests may run side by side.
  std::string token_ = "postflight-test-" + std::to_string(getpid());
  PostflightSpec spec_{.node = "mi210-01",
                       .address = "127.0.0.1",
                       .run_token = token_,
                       .cache_root = dir_.path() + "/cache/job/node",
                       .cache_parent = dir_.path() + "/cache"};
};

TEST_F(Postflight, ACleanNodeIsClean) {
  const PostflightReport report = postflight(spec_, clock_);
  EXPECT_TRUE(report.clean);
  EXPECT_THAT(report.leftovers, IsEmpty());
}

TEST_F(Postflight, EndsAProcessOfTheRunAndTouchesNoOther) {
  const auto ours = start_marked(token_);
  const auto other = start_marked(token_ + "-other");
  const PostflightReport report = postflight(spec_, clock_);
  EXPECT_TRUE(report.clean);
  EXPECT_THAT(report.leftovers, ElementsAre(AllOf(HasSubstr(std::to_string(ours->pid())),
                                                  HasSubstr("sleep 60"), HasSubstr("killed"))));
  ASSERT_TRUE(ours->poll());
  EXPECT_EQ(ours->poll()->signal, SIGKILL);
  EXPECT_FALSE(other->poll());
}

TEST_F(Postflight, APortThatIsStillHeldIsNotClean) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int port = ntohs(address.sin_port);
  spec_.ports = {port};
  const PostflightReport report = postflight(spec_, clock_);
  EXPECT_FALSE(report.clean);
  EXPECT_THAT(report.leftovers, ElementsAre(HasSubstr("port 127.0.0.1:" + std::to_string(port))));
  close(listener);
  EXPECT_TRUE(postflight(spec_, clock_).clean);
}

TEST_F(Postflight, RemovesTheCachesOfTheJob) {
  ASSERT_TRUE(make_directories(spec_.cache_root + "/triton/a").ok());
  ASSERT_TRUE(write_file_atomic(spec_.cache_root + "/triton/a/kernel", "x").ok());
  const PostflightReport report = postflight(spec_, clock_);
  EXPECT_TRUE(report.clean);
  EXPECT_FALSE(path_exists(spec_.cache_root));
  EXPECT_TRUE(path_exists(spec_.cache_parent));
}

TEST_F(Postflight, ACacheOutsideItsParentIsReportedNotRemoved) {
  spec_.cache_root = dir_.path() + "/home";
  ASSERT_TRUE(make_directories(spec_.cache_root).ok());
  ASSERT_TRUE(make_directories(spec_.cache_parent).ok());
  const PostflightReport report = postflight(spec_, clock_);
  EXPECT_FALSE(report.clean);
  EXPECT_EQ(report.leftovers.size(), 1U);
  EXPECT_TRUE(path_exists(spec_.cache_root));
}

TEST_F(Postflight, SpecComesBackWhole) {
  spec_.ports = {20000, 20001};
  const auto back = parse_postflight_spec(postflight_spec_to_json(spec_));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->node, spec_.node);
  EXPECT_EQ(back->address, spec_.address);
  EXPECT_EQ(back->run_token, spec_.run_token);
  EXPECT_EQ(back->ports, spec_.ports);
  EXPECT_EQ(back->cache_root, spec_.cache_root);
  EXPECT_EQ(back->cache_parent, spec_.cache_parent);
}

TEST_F(Postflight, ReportComesBackWholeAndBytesAreMadeText) {
  const auto back = parse_postflight_report(
      postflight_report_to_json({.leftovers = {"process 1 (\xff)", "b"}, .clean = false}));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->leftovers.size(), 2U);
  EXPECT_FALSE(back->clean);
}

TEST_F(Postflight, WhatCannotBeReadIsAnError) {
  EXPECT_EQ(parse_postflight_spec("{}").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(parse_postflight_report("null").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(parse_postflight_report(R"({"leftovers": "none", "clean": true})").error().code,
            ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace sglexp
