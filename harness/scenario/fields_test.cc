// SPDX-License-Identifier: Apache-2.0
// The loader, scenarios/README.md and the JSON Schemas must name the same fields.
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/scenario/profile_reader.h"
#include "harness/scenario/sections.h"
#include "harness/sys/files.h"

namespace sglexp {
namespace {

const std::string kScenarios = std::string(SGLEXP_SOURCE_DIR) + "/scenarios/";

template <typename Target>
std::vector<ReadLog::Field> fields_of(void (*read)(MapReader&, Target&)) {
  ReadLog log = ReadLog::describing();
  const YamlNode nothing;
  MapReader reader(nothing, log, "the file");
  Target target;
  read(reader, target);
  return log.fields();
}

std::set<std::string> paths_of(const std::vector<ReadLog::Field>& fields, bool required_only) {
  std::set<std::string> paths;
  for (const ReadLog::Field& field : fields) {
    // What arms change is written like the scenario's own.
    const bool nested =
        field.path.starts_with("arms.*.placement.") || field.path.starts_with("arms.*.engine.");
    if (!nested && (field.required || !required_only)) {
      paths.insert(field.path);
    }
  }
  return paths;
}

// First column of the table under `heading`: "| `engine.tp` | ...".
std::set<std::string> documented(const std::string& text, const std::string& heading,
                                 bool required_only) {
  std::set<std::string> paths;
  bool inside = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("## ")) {
      inside = line == "## " + heading;
    } else if (inside && line.starts_with("| `")) {
      const auto cells = split(line, '|');
      const bool required = trim(cells[3]) == "required";
      const std::string_view cell = trim(cells[1]);
      if (required || !required_only) {
        paths.emplace(cell.substr(1, cell.size() - 2));
      }
    }
  }
  return paths;
}

void walk_schema(const nlohmann::json& root, nlohmann::json node, const std::string& path,
                 std::set<std::string>& all, std::set<std::string>& required) {
  if (node.contains("$ref")) {
    const std::string name = node["$ref"].get<std::string>().substr(14);  // "#/definitions/"
    node = root["definitions"][name];
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  const nlohmann::json names = node.value("required", nlohmann::json::array());
  for (const auto& name : names) {
    required.insert(prefix + name.get<std::string>());
  }
  const nlohmann::json properties = node.value("properties", nlohmann::json::object());
  for (const auto& [key, child] : properties.items()) {
    all.insert(prefix + key);
    if (path != "arms.*" || key == "base") {
      walk_schema(root, child, prefix + key, all, required);
    }
  }
  if (node.contains("items")) {
    walk_schema(root, node["items"], path + "[]", all, required);
  }
  if (node.contains("additionalProperties") && node["additionalProperties"].is_object()) {
    walk_schema(root, node["additionalProperties"], path + ".*", all, required);
  }
}

struct Book {
  std::string heading;
  std::string schema;
  std::vector<ReadLog::Field> fields;
};

std::vector<Book> books() {
  return {{"Scenario", "scenario.schema.json", fields_of(read_scenario)},
          {"Cluster profile", "cluster.schema.json", fields_of(read_cluster_profile)}};
}

TEST(Fields, ReadmeNamesExactlyThoseOfTheLoader) {
  const std::string readme = read_file(kScenarios + "README.md").value();
  for (const Book& book : books()) {
    EXPECT_EQ(documented(readme, book.heading, false), paths_of(book.fields, false));
    EXPECT_EQ(documented(readme, book.heading, true), paths_of(book.fields, true));
  }
}

TEST(Fields, SchemaNamesExactlyThoseOfTheLoader) {
  for (const Book& book : books()) {
    const auto schema =
        nlohmann::json::parse(read_file(kScenarios + "schema/" + book.schema).value());
    std::set<std::string> all;
    std::set<std::string> required;
    walk_schema(schema, schema, "", all, required);
    EXPECT_EQ(all, paths_of(book.fields, false));
    EXPECT_EQ(required, paths_of(book.fields, true));
  }
}

TEST(Fields, EveryShippedFileLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios)) {
    if (entry.path().extension() == ".yaml") {
      const auto loaded = load_scenario(entry.path().string());
      EXPECT_TRUE(loaded.ok()) << loaded.error().message;
      EXPECT_EQ(loaded.ok() ? loaded->name : "", entry.path().stem().string());
      ++files;
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios + "clusters")) {
    const auto loaded = load_cluster_profile(entry.path().string());
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded.ok() ? loaded->name : "", entry.path().stem().string());
    ++files;
  }
  EXPECT_GE(files, 8);
}

}  // namespace
}  // namespace sglexp
