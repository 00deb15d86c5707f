// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stop_request.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace sglexp {
namespace {

// Standard input is a pipe for as long as it lives.
class StopRequested : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    ASSERT_EQ(pipe(ends_.data()), 0);
    ASSERT_EQ(dup2(ends_[0], STDIN_FILENO), STDIN_FILENO);
    close(ends_[0]);
  }
  void TearDown() override {
    close_writer();
    if (saved_ >= 0) {
      dup2(saved_, STDIN_FILENO);
      close(saved_);
    }
  }
  void close_writer() {
    if (ends_[1] >= 0) {
      close(ends_[1]);
      ends_[1] = -1;
    }
  }
  void write_text(const std::string& text) {
    ASSERT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::array<int, 2> ends_{-1, -1};
  int saved_ = -1;
  StopSignals signals_;
};

TEST_F(StopRequested, NotWhileTheInputIsOpen) {
  StopRequest stop(signals_, true);
  EXPECT_FALSE(stop.requested());
  write_text("words mean nothing\n");
  EXPECT_FALSE(stop.requested());
  EXPECT_FALSE(stop.requested());
}

TEST_F(StopRequested, ByTheEndOfInputAndForGood) {
  StopRequest stop(signals_, true);
  close_writer();
  EXPECT_TRUE(stop.requested());
  EXPECT_TRUE(stop.requested());
}

TEST_F(StopRequested, TextBeforeTheEndIsReadAway) {
  StopRequest stop(signals_, true);
  write_text(std::string(1000, 'x'));
  close_writer();
  int asked = 0;
  while (!stop.requested() && asked < 10) {
    ++asked;
  }
  EXPECT_LT(asked, 10);
}

TEST_F(StopRequested, AnEndedInputSaysNothingToAPersonsProcess) {
  StopRequest stop(signals_, false);
  close_writer();
  EXPECT_FALSE(stop.requested());
}

TEST_F(StopRequested, BySignalAsWell) {
  StopRequest stop(signals_, true);
  raise(SIGTERM);
  EXPECT_TRUE(stop.requested());
}

TEST_F(StopRequested, WithoutAnyInputAtAll) {
  StopRequest stop(signals_, true);
  close(STDIN_FILENO);
  EXPECT_TRUE(stop.requested());
}

}  // namespace
}  // namespace sglexp
