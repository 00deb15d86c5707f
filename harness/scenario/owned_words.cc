// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/owned_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

struct Owned {
  std::string_view word;
  std::string_view instead;
};

// Names as sglang.launch_server has them, aliases included.
constexpr std::array kEngineFlags = {
    Owned{"host", "the placement chooses it"},
    Owned{"port", "the placement chooses it"},
    Owned{"model-path", "write engine.model"},
    Owned{"served-model-name", "write engine.served_model_name"},
    Owned{"tp-size", "write engine.tp"},
    Owned{"tensor-parallel-size", "write engine.tp"},
    Owned{"random-seed", "write repeats.seed: each launch has its own, which proves who answers"},
    Owned{"base-gpu-id", "write placement: GPUs are chosen by visibility"},
    Owned{"gpu-id-step", "write placement: GPUs are chosen by visibility"},
    Owned{"nnodes", "one worker runs on one node"},
    Owned{"node-rank", "one worker runs on one node"},
    Owned{"dist-init-addr", "one worker runs on one node"},
};
constexpr std::array kRouterFlags = {
    Owned{"worker-urls", "the placement knows the workers"},
    Owned{"host", "the placement chooses it"},
    Owned{"port", "the placement chooses it"},
    Owned{"policy", "write router.policy"},
    Owned{"prometheus-port", "the placement chooses it"},
    Owned{"disable-retries", "always set: retries hide errors and inflate latency"},
    Owned{"disable-circuit-breaker", "always set: one bad request could shut out every worker"},
};
constexpr std::array kVariables = {
    Owned{"ROCR_VISIBLE_DEVICES", "write placement: two masks compose, and the second one breaks"},
    Owned{"HIP_VISIBLE_DEVICES", "write placement: two masks compose, and the second one breaks"},
    Owned{"CUDA_VISIBLE_DEVICES", "write placement: two masks compose, and the second one breaks"},
    Owned{"GPU_DEVICE_ORDINAL", "write placement: two masks compose, and the second one breaks"},
};

constexpr std::string_view kFromProgram = "sglexp sets it for every job";
constexpr std::string_view kFromProfile = "write the key of that name in the cluster profile";
constexpr std::string_view kFromScenario = "write it in the scenario's allocation";
// Long and short names of sbatch's options.
constexpr std::array kSbatchOptions = {
    Owned{"--job-name", kFromProgram},
    Owned{"-J", kFromProgram},
    Owned{"--comment", kFromProgram},
    Owned{"--output", kFromProgram},
    Owned{"-o", kFromProgram},
    Owned{"--error", kFromProgram},
    Owned{"-e", kFromProgram},
    Owned{"--open-mode", kFromProgram},
    Owned{"--parsable", kFromProgram},
    Owned{"--signal", kFromProgram},
    Owned{"--export", kFromProgram},
    Owned{"--requeue", kFromProgram},
    Owned{"--no-requeue", kFromProgram},
    Owned{"--array", kFromProgram},
    Owned{"-a", kFromProgram},
    Owned{"--wrap", kFromProgram},
    Owned{"--wait", kFromProgram},
    Owned{"-W", kFromProgram},
    Owned{"--test-only", kFromProgram},
    Owned{"--chdir", kFromProgram},
    Owned{"-D", kFromProgram},
    Owned{"--nodelist", kFromProgram},
    Owned{"-w", kFromProgram},
    Owned{"--partition", kFromProfile},
    Owned{"-p", kFromProfile},
    Owned{"--account", kFromProfile},
    Owned{"-A", kFromProfile},
    Owned{"--qos", kFromProfile},
    Owned{"-q", kFromProfile},
    Owned{"--reservation", kFromProfile},
    Owned{"--exclude", kFromProfile},
    Owned{"-x", kFromProfile},
    Owned{"--constraint", kFromProfile},
    Owned{"-C", kFromProfile},
    Owned{"--nodes", kFromScenario},
    Owned{"-N", kFromScenario},
    Owned{"--time", kFromScenario},
    Owned{"-t", kFromScenario},
    Owned{"--exclusive", kFromScenario},
    Owned{"--mem", kFromScenario},
    Owned{"--mem-per-cpu", kFromScenario},
    Owned{"--mem-per-gpu", kFromScenario},
};

// Argument parsers accept any unambiguous beginning of a long name, so "--tp" is "--tp-size".
const Owned* find_owned(std::span<const Owned> table, std::string_view name, bool is_long) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Owned& owned) {
    return owned.word == name || (is_long && owned.word.starts_with(name));
  });
  return found != table.end() ? &*found : nullptr;
}

bool is_flag_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

void check_flags(MapReader& in, std::string_view key, std::span<const Owned> owned) {
  for (const YamlNode& entry : in.node().find(key)->children) {
    const std::string shown = printable(entry.key, 60);
    if (!is_flag_name(entry.key)) {
      in.log().problem(entry.key_mark, in.path(key),
                       fmt::format("{}: '{}' is not a flag: write its name without the dashes",
                                   in.path(key), shown));
    } else if (const Owned* mine = find_owned(owned, entry.key, true)) {
      in.log().problem(
          entry.key_mark, in.path(key),
          fmt::format("{}: '{}' is not yours to set here: {}", in.path(key), shown, mine->instead));
    }
  }
}

}  // namespace

void check_engine_flags(MapReader& in, std::string_view key) {
  check_flags(in, key, kEngineFlags);
}

void check_router_flags(MapReader& in, std::string_view key) {
  check_flags(in, key, kRouterFlags);
}

void check_variables(MapReader& in, std::string_view key) {
  for (const YamlNode& entry : in.node().find(key)->children) {
    const std::string shown = printable(entry.key, 60);
    if (!is_variable_name(entry.key)) {
      in.log().problem(entry.key_mark, in.path(key),
                       fmt::format("{}: '{}' is not the name of a variable", in.path(key), shown));
      continue;
    }
    const auto mine = std::find_if(kVariables.begin(), kVariables.end(),
                                   [&](const Owned& each) { return each.word == entry.key; });
    if (mine != kVariables.end()) {
      in.log().problem(
          entry.key_mark, in.path(key),
          fmt::format("{}: '{}' is not yours to set here: {}", in.path(key), shown, mine->instead));
    }
  }
}

void check_sbatch_words(MapReader& in, std::string_view key,
                        const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string item = fmt::format("{}.{}", key, i);
    if (word.empty() || word.front() != '-') {
      if (i == 0) {
        in.problem(item, fmt::format("'{}' is not an option of sbatch", printable(word, 60)));
      }
      continue;  // the value of the option before it
    }
    // "-J name", "-Jname", "--job-name=name"
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    if (const Owned* mine = find_owned(kSbatchOptions, name, is_long); mine != nullptr) {
      in.problem(item, fmt::format("'{}' is not yours to set here: {}", printable(word, 60),
                                   mine->instead));
    }
  }
}

}  // namespace sglexp
