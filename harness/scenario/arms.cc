// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/arms.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/scenario/overrides.h"
#include "harness/scenario/sections.h"

namespace sglexp {

namespace {

std::vector<std::string> names_of(const std::vector<ArmSpec>& arms) {
  std::vector<std::string> names;
  names.reserve(arms.size());
  for (const ArmSpec& arm : arms) {
    names.push_back(arm.name);
  }
  return names;
}

// Every value that the arm writes, as "placement.policy=cross_numa", in file order.
void list_factors(const YamlNode& node, const std::string& path, std::vector<std::string>& out) {
  if (node.kind == YamlNode::Kind::kMap) {
    for (const YamlNode& child : node.children) {
      if (!path.empty() || child.key != "base") {
        list_factors(child, path.empty() ? child.key : path + "." + child.key, out);
      }
    }
    return;
  }
  std::vector<std::string> values;
  for (const YamlNode& item : node.children) {
    values.push_back(item.text);
  }
  const bool secret = is_secret_name(path.substr(path.rfind('.') + 1));
  out.push_back(path + "=" + (secret ? "***" : node.text + join(values, ",")));
}

void read_arm(const std::string& name, MapReader& in, Scenario& scenario) {
  if (!in.node().key_mark.flag.empty()) {
    // --set changes arms; a misspelt name must not quietly become a new one.
    const auto names = names_of(scenario.arms);
    const auto guess = nearest(name, names);
    in.log().problem(in.node().key_mark, in.path(),
                     fmt::format("the file has no arm '{}' ({})", name,
                                 guess ? fmt::format("did you mean '{}'?", *guess)
                                       : "arms: " + join(names, ", ")));
  }
  ArmSpec arm;
  arm.name = name;
  arm.placement = scenario.placement;
  arm.engine = scenario.engine;
  in.flag("base", arm.base);
  in.object("placement", [&](MapReader& map) { read_placement(map, arm.placement); });
  in.object("engine", [&](MapReader& map) { read_engine(map, arm.engine); });
  list_factors(in.node(), "", arm.factors);
  scenario.arms.push_back(std::move(arm));
}

}  // namespace

void read_arms(MapReader& in, Scenario& scenario) {
  in.named("arms", [&](const std::string& name, MapReader& map) { read_arm(name, map, scenario); });
  if (scenario.arms.empty()) {
    scenario.arms.push_back({"default", true, scenario.placement, scenario.engine, {}});
  }
}

void check_base(Scenario& scenario, ReadLog& log) {
  std::vector<ArmSpec>& arms = scenario.arms;
  const auto bases =
      std::count_if(arms.begin(), arms.end(), [](const ArmSpec& a) { return a.base; });
  if (arms.size() == 1) {
    arms.front().base = true;
  } else if (bases == 0) {
    log.problem_at("arms",
                   "arms: one of them must say 'base: true', the others are compared with it");
  } else if (bases > 1) {
    const auto last =
        std::find_if(arms.rbegin(), arms.rend(), [](const ArmSpec& a) { return a.base; });
    log.problem_at(
        fmt::format("arms.{}.base", last->name),
        fmt::format("arms.{}.base: {} arms say 'base: true', exactly one may", last->name, bases));
  }
}

void keep_arms(Scenario& scenario, const std::vector<std::string>& names, ReadLog& log) {
  if (names.empty()) {
    return;
  }
  const std::vector<std::string> known = names_of(scenario.arms);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto guess = nearest(name, known);
      log.problem({0, 0, "--only " + printable(name, 60)}, "",
                  fmt::format("no such arm ({})", guess ? fmt::format("did you mean '{}'?", *guess)
                                                        : "arms: " + join(known, ", ")));
    }
  }
  std::vector<ArmSpec> kept;
  std::copy_if(scenario.arms.begin(), scenario.arms.end(), std::back_inserter(kept),
               [&](const ArmSpec& arm) {
                 return std::find(names.begin(), names.end(), arm.name) != names.end();
               });
  const auto is_base = [](const ArmSpec& arm) { return arm.base; };
  if (kept.size() > 1 && std::none_of(kept.begin(), kept.end(), is_base)) {
    const auto base = std::find_if(scenario.arms.begin(), scenario.arms.end(), is_base);
    if (base != scenario.arms.end()) {
      log.problem({0, 0, "--only " + join(names, " --only ")}, "",
                  fmt::format("leaves out the base arm: add --only {}", base->name));
    }
  }
  if (kept.size() == 1) {
    kept.front().base = true;
  }
  if (!kept.empty()) {
    scenario.arms = std::move(kept);
  }
}

std::vector<Problem> normalise_arms(YamlNode& root) {
  std::vector<Problem> problems;
  YamlNode* arms = root.find("arms");
  if (arms == nullptr || arms->kind != YamlNode::Kind::kMap) {
    return problems;
  }
  for (YamlNode& arm : arms->children) {
    if (arm.kind == YamlNode::Kind::kMap) {
      std::vector<Problem> found = nest_dotted_keys(arm);
      std::move(found.begin(), found.end(), std::back_inserter(problems));
    }
  }
  return problems;
}

}  // namespace sglexp
