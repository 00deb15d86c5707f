// SPDX-License-Identifier: Apache-2.0
// Binds this very host, in forked children so that the test itself stays unbound.
#include "harness/topology/binding.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "harness/sys/proc_fs.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string status(pid_t pid, const char* field) {
  return process_status_field(pid, field).value_or("");
}

// What `body` returns, from a child process.
std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = body();
    const bool written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int wait_status = 0;
  waitpid(child, &wait_status, 0);
  EXPECT_EQ(wait_status, 0);
  return out;
}

std::string describe(const Result<BindingObserved>& bound) {
  if (!bound.ok()) {
    return (bound.error().code == ErrorCode::kInvalidInput ? "invalid: " : "unavailable: ") +
           bound.error().message;
  }
  return "cpus " + format_ranges(bound->cpus) + " mem " + format_ranges(bound->mem_nodes) +
         " status " + status(getpid(), "Cpus_allowed_list");
}

class Binding : public ::testing::Test {
 protected:
  std::vector<int> cpus_ =
      parse_ranges(status(getpid(), "Cpus_allowed_list")).value_or(std::vector<int>{});
  std::vector<int> mems_ =
      parse_ranges(status(getpid(), "Mems_allowed_list")).value_or(std::vector<int>{});
};

TEST_F(Binding, BindsToOneCpuAndReadsItBack) {
  const std::string last = std::to_string(cpus_.back());
  EXPECT_EQ(in_child([&] { return describe(bind_self({cpus_.back()}, {})); }),
            "cpus " + last + " mem  status " + last);
  EXPECT_EQ(status(getpid(), "Cpus_allowed_list"), format_ranges(cpus_))
      << "the parent was bound too";
}

TEST_F(Binding, IsInheritedByChildren) {
  const std::string inner = in_child([&] {
    const bool bound = bind_self({cpus_.front()}, {mems_.front()}).ok();
    return bound ? in_child([] { return status(getpid(), "Cpus_allowed_list"); })
                 : std::string("not bound");
  });
  EXPECT_EQ(inner, std::to_string(cpus_.front()));
}

TEST_F(Binding, BindsMemoryStrictly) {
  EXPECT_THAT(in_child([&] { return describe(bind_self({cpus_.front()}, {mems_.front()})); }),
              HasSubstr(" mem " + std::to_string(mems_.front()) + " "));
}

TEST_F(Binding, AcceptsAnyOrderAndRepeats) {
  std::vector<int> shuffled(cpus_.rbegin(), cpus_.rend());
  shuffled.push_back(cpus_.front());
  EXPECT_THAT(in_child([&] { return describe(bind_self(shuffled, {})); }),
              StartsWith("cpus " + format_ranges(cpus_) + " "));
}

TEST_F(Binding, RefusesACpuThatTheKernelDoesNotGive) {
  EXPECT_THAT(in_child([&] {
                return describe(bind_self({cpus_.front(), 60000}, {}));
              }),
              StartsWith("invalid: "));
  EXPECT_THAT(in_child([&] { return describe(bind_self({60000}, {})); }), HasSubstr("60000"));
}

TEST_F(Binding, RefusesANumaNodeThatIsNotAllowed) {
  EXPECT_EQ(in_child([&] { return describe(bind_self({cpus_.front()}, {1000})); }),
            "invalid: memory of NUMA node 1000 is not allowed to this process (allowed: " +
                format_ranges(mems_) + ")");
}

TEST_F(Binding, RefusesNothingAndNegativeIndices) {
  EXPECT_EQ(bind_self({}, {}).error().message, "no CPU to bind to");
  EXPECT_EQ(bind_self({-1}, {}).error().message, "CPU -1 cannot be bound to");
  EXPECT_EQ(bind_self({cpus_.front()}, {-1}).error().message, "NUMA node -1 cannot be bound to");
}

TEST_F(Binding, RefusesATopologyOfAnotherMachine) {
  EXPECT_THAT(in_child([&] {
                setenv("HWLOC_SYNTHETIC", "numa:2 pu:64", 1);
                return describe(bind_self({cpus_.front()}, {}));
              }),
              HasSubstr("unavailable: hwloc does not describe this machine"));
}

}  // namespace
}  // namespace sglexp
