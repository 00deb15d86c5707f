// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/text.h"

extern char** environ;  // NOLINT: POSIX declares it so

namespace sglexp {

namespace {

constexpr std::size_t kMostOutput = std::size_t{64} << 20;

ExitStatus from_wait(int status) {
  if (WIFSIGNALED(status)) {
    return {.code = -1, .signal = WTERMSIG(status)};
  }
  return {.code = WEXITSTATUS(status), .signal = 0};
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  [[nodiscard]] int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) {
      close(std::exchange(fd_, -1));
    }
  }

 private:
  int fd_ = -1;
};

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::string> out;
  const auto dropped = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    const auto names_it = [&](const auto& pair) { return pair.first == name; };
    return std::any_of(command.env_set.begin(), command.env_set.end(), names_it) ||
           std::find(command.env_unset.begin(), command.env_unset.end(), name) !=
               command.env_unset.end();
  };
  for (char** entry = environ; !command.clear_env && *entry != nullptr; ++entry) {
    if (!dropped(*entry)) {
      out.emplace_back(*entry);
    }
  }
  for (const auto& [name, value] : command.env_set) {
    out.push_back(name + "=" + value);
  }
  return out;
}

// The program as the child's own PATH finds it, so that a runner with mock executables in front of
// PATH starts the mock.
Result<std::string> find_program(const std::string& name,
                                 const std::vector<std::string>& environment) {
  if (name.empty()) {
    return Error{ErrorCode::kInvalidInput, "empty command"};
  }
  if (name.find('/') != std::string::npos) {
    return name;
  }
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) {
      path = entry.substr(5);
    }
  }
  for (const std::string& directory : split(path, ':')) {
    const std::string candidate = directory + "/" + name;
    if (!directory.empty() && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return Error{ErrorCode::kNotFound, fmt::format("no program '{}' on PATH ({})", name, path)};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

// What becomes of the child's three standard descriptors.
struct Streams {
  int in = -1;   // -1: /dev/null
  int out = -1;  // -1: the command's stdout_path, or inherited
  int err = -1;
};

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void add(const Command& command, const Streams& streams) {
    constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;
    if (!command.cwd.empty()) {
      posix_spawn_file_actions_addchdir_np(&actions_, command.cwd.c_str());
    }
    if (streams.in >= 0) {
      posix_spawn_file_actions_adddup2(&actions_, streams.in, 0);
    } else {
      posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    }
    if (!command.stdout_path.empty()) {
      posix_spawn_file_actions_addopen(&actions_, 1, command.stdout_path.c_str(), kAppend, 0644);
    } else if (streams.out >= 0) {
      posix_spawn_file_actions_adddup2(&actions_, streams.out, 1);
    }
    if (!command.stderr_path.empty() && command.stderr_path == command.stdout_path) {
      posix_spawn_file_actions_adddup2(&actions_, 1, 2);
    } else if (!command.stderr_path.empty()) {
      posix_spawn_file_actions_addopen(&actions_, 2, command.stderr_path.c_str(), kAppend, 0644);
    } else if (streams.err >= 0) {
      posix_spawn_file_actions_adddup2(&actions_, streams.err, 2);
    }
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  explicit Attributes(bool own_group) {
    posix_spawnattr_init(&attributes_);
    sigset_t every;
    sigfillset(&every);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &every);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

Result<pid_t> spawn(const Command& command, const Streams& streams) {
  if (command.argv.empty()) {
    return Error{ErrorCode::kInvalidInput, "empty command"};
  }
  std::vector<std::string> environment = child_environment(command);
  SGLEXP_TRY(const std::string program, find_program(command.argv[0], environment));
  std::vector<std::string> arguments = command.argv;
  FileActions actions;
  actions.add(command, streams);
  const Attributes attributes(command.own_group);
  pid_t pid = 0;
  const int rc = posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(),
                             pointers(arguments).data(), pointers(environment).data());
  if (rc != 0) {
    const ErrorCode code =
        rc == ENOENT || rc == EACCES ? ErrorCode::kNotFound : ErrorCode::kInternal;
    return Error{code, fmt::format("starting {}: {}", program, std::strerror(rc))};
  }
  return pid;
}

class SystemChild : public Child {
 public:
  SystemChild(pid_t pid, bool own_group, Descriptor input = {})
      : pid_(pid), own_group_(own_group), input_(std::move(input)) {}
  ~SystemChild() override {
    if (!poll()) {
      SystemChild::signal(SIGKILL);
      int status = 0;
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
  SystemChild(const SystemChild&) = delete;
  SystemChild& operator=(const SystemChild&) = delete;

  [[nodiscard]] pid_t pid() const override { return pid_; }

  [[nodiscard]] std::optional<ExitStatus> poll() override {
    int status = 0;
    if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = from_wait(status);
    }
    return ended_;
  }

  void signal(int number) override {
    if (!ended_) {  // not reaped yet, so the pid cannot have been given to anyone else
      kill(own_group_ ? -pid_ : pid_, number);
    }
  }

  void close_stdin() override { input_.reset(); }

 private:
  pid_t pid_;
  bool own_group_;
  Descriptor input_;
  std::optional<ExitStatus> ended_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::kInternal, fmt::format("pipe: {}", std::strerror(errno))};
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// The input as a file that holds it already: no pipe to feed, no SIGPIPE if nobody reads.
Result<Descriptor> input_file(const std::string& text) {
  Descriptor file(memfd_create("stdin", MFD_CLOEXEC));
  std::size_t written = 0;
  while (file.get() >= 0 && written < text.size()) {
    const ssize_t n = write(file.get(), text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) {
      break;
    }
    written += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  if (written < text.size() || lseek(file.get(), 0, SEEK_SET) != 0) {
    return Error{ErrorCode::kInternal, fmt::format("standard input: {}", std::strerror(errno))};
  }
  return file;
}

// Collects a child's output without ever blocking longer than it is told to.
class Collector {
 public:
  Collector(Descriptor out, Descriptor err, Completed& result)
      : out_(std::move(out)), err_(std::move(err)), result_(result) {}

  // Waits up to `wait_ms` for output and takes what is there. False: nothing came, or all is
  // closed.
  bool collect(int wait_ms) {
    std::array<pollfd, 2> ready = {{{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), wait_ms) <= 0) {
      return false;
    }
    take(ready[0], out_, result_.out);
    take(ready[1], err_, result_.err);
    return true;
  }

 private:
  void take(const pollfd& ready, Descriptor& fd, std::string& into) {
    if (ready.revents == 0 || fd.get() < 0) {
      return;
    }
    std::array<char, 65536> buffer{};
    const ssize_t n = read(fd.get(), buffer.data(), buffer.size());
    if (n > 0 && into.size() + static_cast<std::size_t>(n) <= kMostOutput) {
      into.append(buffer.data(), static_cast<std::size_t>(n));
    } else if (n > 0) {
      result_.truncated = true;
    } else if (n == 0 || errno != EINTR) {
      fd.reset();
    }
  }

  Descriptor out_;
  Descriptor err_;
  Completed& result_;
};

}  // namespace

std::string ExitStatus::describe() const {
  if (signal != 0) {
    const char* name = sigabbrev_np(signal);
    return fmt::format("killed by signal {} ({})", signal, name != nullptr ? name : "?");
  }
  return fmt::format("exit code {}", code);
}

Result<std::unique_ptr<Child>> SystemProcessRunner::start(const Command& command) {
  Pipe input;
  if (command.hold_stdin) {
    SGLEXP_TRY(input, make_pipe());
  }
  SGLEXP_TRY(const pid_t pid, spawn(command, {.in = input.read_end.get()}));
  return std::unique_ptr<Child>(
      std::make_unique<SystemChild>(pid, command.own_group, std::move(input.write_end)));
}

Result<Completed> SystemProcessRunner::run(const Command& command) {
  SGLEXP_TRY(Pipe out, make_pipe());
  SGLEXP_TRY(Pipe err, make_pipe());
  SGLEXP_TRY(const Descriptor in, input_file(command.stdin_text));
  SGLEXP_TRY(
      const pid_t pid,
      spawn(command, {.in = in.get(), .out = out.write_end.get(), .err = err.write_end.get()}));
  SystemChild child(pid, command.own_group);
  out.write_end.reset();
  err.write_end.reset();

  Completed result;
  SystemClock clock;
  const TimePoint deadline = clock.now() + command.timeout;
  Collector collector(std::move(out.read_end), std::move(err.read_end), result);
  // A grandchild may hold the pipes open after the child has ended. The child's end is what counts,
  // so waits are short and look at it in between.
  constexpr int kStepMs = 5;
  std::optional<ExitStatus> ended = child.poll();
  while (!ended) {
    if (command.timeout > Nanos(0) && clock.now() >= deadline) {
      result.timed_out = true;
      ended = stop_child(child, clock, Seconds(0), SIGKILL);
      break;
    }
    collector.collect(kStepMs);
    ended = child.poll();
  }
  while (collector.collect(0)) {
  }
  result.status = ended.value_or(ExitStatus{.code = -1, .signal = SIGKILL});
  return result;
}

std::optional<ExitStatus> stop_child(Child& child, Clock& clock, Nanos grace, int first_signal) {
  const auto wait_until = [&](TimePoint deadline) {
    Nanos pause = Millis(1);
    while (!child.poll() && clock.now() < deadline) {
      clock.sleep_for(pause);
      pause = std::min<Nanos>(pause * 2, Millis(50));
    }
    return child.poll();
  };
  if (auto ended = child.poll()) {
    return ended;
  }
  child.signal(first_signal);
  if (auto ended = wait_until(clock.now() + grace)) {
    return ended;
  }
  child.signal(SIGKILL);
  return wait_until(clock.now() + Seconds(5));
}

}  // namespace sglexp
