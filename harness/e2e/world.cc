// SPDX-License-Identifier: Apache-2.0
#include "harness/e2e/world.h"

#include <signal.h>

#include "harness/sys/proc_fs.h"

namespace sglexp {

World::World() {
  env_ = {{"HOME", path()},
          {"XDG_CONFIG_HOME", path() + "/config"},
          {"SGLEXP_DB", database()},
          {"MOCK_SLURM_STATE", mock_state()}};
}

Command World::command(std::vector<std::string> args) const {
  Command command{.argv = {std::string(SGLEXP_BUILD_DIR) + "/bin/sglexp"},
                  .env_set = env_,
                  .env_unset = {"SGLEXP_CLUSTER"}};
  command.argv.insert(command.argv.end(), args.begin(), args.end());
  return command;
}

Completed World::sglexp(std::vector<std::string> args, Nanos timeout) {
  Command whole = command(std::move(args));
  whole.timeout = timeout;
  auto done = runner_.run(whole);
  EXPECT_TRUE(done.ok()) << done.error().message;
  EXPECT_FALSE(done->timed_out) << done->err;
  last_ = *done;
  return last_;
}

std::unique_ptr<Child> World::start_sglexp(std::vector<std::string> args, const std::string& log) {
  Command whole = command(std::move(args));
  whole.stdout_path = log;
  whole.stderr_path = log;
  auto child = runner_.start(whole);
  EXPECT_TRUE(child.ok()) << child.error().message;
  return std::move(*child);
}

nlohmann::json World::run_json(std::vector<std::string> args) {
  args.insert(args.begin(), "run");
  args.emplace_back("--json");
  const Completed done = sglexp(std::move(args));
  const nlohmann::json result = nlohmann::json::parse(done.out, nullptr, false);
  EXPECT_TRUE(result.is_object()) << done.out << done.err;
  if (result.is_object()) {
    EXPECT_EQ(result.value("exit_code", -1), done.status.code) << done.err;
  }
  return result;
}

std::string World::write_file(const std::string& name, const std::string& text) {
  const std::string file = path() + "/" + name;
  EXPECT_TRUE(write_file_atomic(file, text).ok());
  return file;
}

std::string World::source_file(const std::string& name) {
  const auto text = read_file(std::string(SGLEXP_SOURCE_DIR) + "/" + name);
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text.ok() ? *text : "";
}

std::string World::profile_with_env(const std::string& engine, const std::string& yaml_lines) {
  std::string text = source_file("scenarios/clusters/mock.yaml");
  const std::string marker = "\n  " + engine + ":\n";
  const std::size_t at = text.find(marker);
  EXPECT_NE(at, std::string::npos);
  const std::size_t env = text.find("    env:\n", at);
  const std::size_t fake = text.find("    fake: true\n", at);
  if (env < fake) {
    text.insert(env + std::string("    env:\n").size(), yaml_lines);
  } else {
    text.insert(fake, "    env:\n" + yaml_lines);
  }
  return write_file("profile.yaml", text);
}

void World::task_prolog_on_second_node(const nlohmann::json& variables) {
  auto cluster = nlohmann::json::parse(source_file("fixtures/mock_slurm/clusters/mi210_2x8.json"));
  cluster["task_prolog"] = {{"mi210-02", variables}};
  env_.emplace_back("MOCK_SLURM_CLUSTER", write_file("cluster.json", cluster.dump()));
}

void World::script_faults(const std::string& json) {
  EXPECT_TRUE(make_directories(mock_state(), 0700).ok());
  EXPECT_TRUE(write_file_atomic(mock_state() + "/faults.json", json).ok());
}

bool World::wait_for(const std::function<bool()>& condition, Nanos limit) {
  const TimePoint deadline = clock_.now() + limit;
  while (!condition()) {
    if (clock_.now() >= deadline) {
      return false;
    }
    clock_.sleep_for(Millis(20));
  }
  return true;
}

std::vector<ProcessInfo> World::processes() const {
  return processes_with_env("HOME", path());
}

void World::TearDown() {
  std::vector<ProcessInfo> left;
  const bool clean = wait_for(
      [&] {
        left = processes();
        return left.empty();
      },
      Seconds(10));
  EXPECT_TRUE(clean) << left.size()
                     << " processes left, the first: " << (left.empty() ? "" : left[0].command);
  for (const ProcessInfo& process : left) {
    signal_process(process, SIGKILL);
  }
  if (HasFailure()) {
    std::cerr << "last stderr of sglexp:\n" << last_.err << "\n";
  }
}

std::vector<std::string> short_numa_compare() {
  return {"numa_compare", "--set", "repeats.blocks=2", "--set", "load.points.c4.requests=4"};
}

}  // namespace sglexp
