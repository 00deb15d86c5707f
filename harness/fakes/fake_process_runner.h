// SPDX-License-Identifier: Apache-2.0
// A ProcessRunner that starts nothing: it answers from a script and remembers what was asked.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/sys/process.h"

namespace sglexp {

// A child whose end the test decides: set `status` at any time.
struct FakeChildState {
  pid_t pid = 4242;
  std::optional<ExitStatus> status;
  std::vector<int> signals;
  bool input_closed = false;
};

class FakeChild : public Child {
 public:
  explicit FakeChild(std::shared_ptr<FakeChildState> state) : state_(std::move(state)) {}
  [[nodiscard]] pid_t pid() const override { return state_->pid; }
  [[nodiscard]] std::optional<ExitStatus> poll() override { return state_->status; }
  void signal(int number) override { state_->signals.push_back(number); }
  void close_stdin() override { state_->input_closed = true; }

 private:
  std::shared_ptr<FakeChildState> state_;
};

class FakeProcessRunner : public ProcessRunner {
 public:
  // The next command whose argv, joined by blanks, begins with `prefix` gets `reply`; each reply is
  // used once, in the order of these calls. A command without a reply is an Error, and listed.
  void on_run(std::string prefix, Result<Completed> reply) {
    replies_.emplace_back(std::move(prefix), std::move(reply));
  }
  void on_run(std::string prefix, std::string out, int code = 0, std::string err = "") {
    Completed completed;
    completed.status.code = code;
    completed.out = std::move(out);
    completed.err = std::move(err);
    on_run(std::move(prefix), Result<Completed>(std::move(completed)));
  }
  void on_start(std::string prefix, std::shared_ptr<FakeChildState> child) {
    children_.emplace_back(std::move(prefix), std::move(child));
  }

  [[nodiscard]] Result<Completed> run(const Command& command) override {
    return take(replies_, command, Result<Completed>(unexpected_error(command)));
  }
  [[nodiscard]] Result<std::unique_ptr<Child>> start(const Command& command) override {
    auto state = take(children_, command, std::shared_ptr<FakeChildState>());
    if (!state) {
      return unexpected_error(command);
    }
    return std::unique_ptr<Child>(std::make_unique<FakeChild>(std::move(state)));
  }

  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  // Command lines that no reply was left for.
  [[nodiscard]] const std::vector<std::string>& unexpected() const { return unexpected_; }
  [[nodiscard]] std::size_t unused_replies() const { return replies_.size() + children_.size(); }

 private:
  static std::string line_of(const Command& command) { return join(command.argv, " "); }
  static Error unexpected_error(const Command& command) {
    return {ErrorCode::kInternal, "no reply scripted for: " + line_of(command)};
  }

  template <typename Reply>
  Reply take(std::deque<std::pair<std::string, Reply>>& script, const Command& command,
             Reply none) {
    const std::string line = line_of(command);
    commands_.push_back(command);
    for (auto it = script.begin(); it != script.end(); ++it) {
      if (line.starts_with(it->first)) {
        Reply reply = std::move(it->second);
        script.erase(it);
        return reply;
      }
    }
    unexpected_.push_back(line);
    return none;
  }

  std::deque<std::pair<std::string, Result<Completed>>> replies_;
  std::deque<std::pair<std::string, std::shared_ptr<FakeChildState>>> children_;
  std::vector<Command> commands_;
  std::vector<std::string> unexpected_;
};

}  // namespace sglexp
