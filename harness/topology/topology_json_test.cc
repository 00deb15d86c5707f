// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"
#include "harness/topology/topology.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kFolder = std::string(SGLEXP_SOURCE_DIR) + "/fixtures/topologies/";

std::vector<int> hives(const Topology& topology) {
  std::vector<int> out;
  for (const Gpu& gpu : topology.gpus) {
    out.push_back(gpu.hive);
  }
  return out;
}

Topology load(const std::string& name) {
  auto topology = load_recorded_topology(kFolder + name);
  EXPECT_TRUE(topology.ok()) << (topology.ok() ? "" : topology.error().message);
  return topology.ok() ? std::move(topology).value() : Topology{};
}

TEST(RecordedTopology, EveryFileOfTheFolderLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") {
      const std::string name = entry.path().filename().string();
      const Topology topology = load(name);
      EXPECT_TRUE(topology.simulated) << name;
      EXPECT_EQ(topology.source, "recorded:" + name);
      EXPECT_GE(topology.gpus.size(), 4U) << name;
      EXPECT_EQ(topology.links.size(), topology.gpus.size()) << name;
      ++files;
    }
  }
  EXPECT_GE(files, 6);
}

TEST(RecordedTopology, TwoHivesOfMi210) {
  const Topology topology = load("mi210_2hives.json");
  EXPECT_THAT(hives(topology), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_EQ(topology.find_pci("0000:85:00.0")->index, 4);
  EXPECT_EQ(topology.find_index(7)->numa, 1);
  EXPECT_EQ(topology.find_index(3)->unique_id, 0x0098976df2de12f9U);
  EXPECT_EQ(topology.find_index(0)->vram_bytes, std::int64_t{64} << 30);
  EXPECT_EQ(topology.find_index(0)->kfd_node, -1);
  EXPECT_EQ(topology.find_numa(1)->cpus.front(), 64);
  EXPECT_EQ(topology.link(0, 3).weight, 15);
  EXPECT_EQ(topology.link(3, 4).weight, 72);
  EXPECT_EQ(topology.link(3, 4).hops, 3);
}

TEST(RecordedTopology, HivesAreNotNumaNodes) {
  EXPECT_THAT(hives(load("mi210_4pairs.json")), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(hives(load("mi250x.json")), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(hives(load("pcie_only.json")), ElementsAre(-1, -1, -1, -1));
}

TEST(RecordedTopology, SurvivesTheRoundTrip) {
  for (const char* const name : {"mi250x.json", "numa_unknown.json"}) {
    const Topology before = load(name);
    const std::string text = topology_to_json(before);
    const auto after = parse_topology_json(text, "ignored");
    ASSERT_TRUE(after.ok()) << after.error().message;
    EXPECT_EQ(topology_to_json(after.value()), text);
    EXPECT_EQ(after->source, before.source);
    EXPECT_EQ(after->gpus.back().unique_id, before.gpus.back().unique_id);
    EXPECT_EQ(after->link(0, 3).weight, before.link(0, 3).weight);
  }
}

TEST(RecordedTopology, OfThisMachineStaysRealUntilItIsUsedAsARecording) {
  Topology topology = load("pcie_only.json");
  topology.simulated = false;
  topology.source = "sysfs";
  const TempDir directory;
  const std::string path = directory.path() + "/mine.json";
  ASSERT_TRUE(write_file_atomic(path, topology_to_json(topology)).ok());
  EXPECT_FALSE(parse_topology_json(topology_to_json(topology), "report")->simulated);
  const auto loaded = load_recorded_topology(path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->simulated);
  EXPECT_EQ(loaded->source, "recorded:mine.json");
}

TEST(RecordedTopology, MissingFileIsNotFound) {
  EXPECT_EQ(load_recorded_topology(kFolder + "mi999.json").error().code, ErrorCode::kNotFound);
}

// A small document with one change each: `replace` -> `with`.
struct BadCase {
  const char* replace;
  const char* with;
  const char* message;

  friend void PrintTo(const BadCase& c, std::ostream* out) { *out << c.with; }
};

const std::string kSmall = R"({"schema": "sglexp-topology/1",
 "gpus": [
  {"index": 0, "pci": "0000:05:00.0", "numa": 0, "arch": "a", "model": "m", "unique_id": "0x1", "render_minor": 128, "vram": "64GiB"},
  {"index": 1, "pci": "0000:08:00.0", "numa": -1, "arch": "a", "model": "m", "unique_id": "0x2", "render_minor": 129, "vram": "64GiB"}],
 "numa_nodes": [{"id": 0, "cpus": "0-3", "memory": "8GiB"}, {"id": 1, "cpus": "4-7", "memory": "8GiB"}],
 "links": {"type": [["self", "xgmi"], ["xgmi", "self"]], "weight": [[0, 15], [15, 0]], "hops": [[0, 1], [1, 0]]}})";

class BadTopology : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadTopology, IsRefusedByPath) {
  const BadCase& c = GetParam();
  std::string text = kSmall;
  const std::size_t at = text.find(c.replace);
  ASSERT_NE(at, std::string::npos) << c.replace;
  text.replace(at, std::string_view(c.replace).size(), c.with);
  const auto topology = parse_topology_json(text, "t.json");
  ASSERT_FALSE(topology.ok()) << c.message;
  EXPECT_EQ(topology.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(topology.error().message, HasSubstr(c.message));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadTopology,
    ::testing::Values(
        BadCase{"{\"schema\"", "[{\"schema\"", "t.json: not JSON"},
        BadCase{"topology/1", "topology/2",
                "t.json: schema: expected \"sglexp-topology/1\", got \"sglexp-topology/2\""},
        BadCase{"\"links\"", "\"linsk\"", "t.json: unknown key 'linsk' (did you mean 'links'?)"},
        BadCase{"\"numa_nodes\": [{", "\"description\": 3, \"numa_nodes\": [{",
                "t.json: description: expected a string, got 3"},
        BadCase{"\"index\": 1", "\"index\": 0", "t.json: gpus[1].index: expected an index above"},
        BadCase{"\"index\": 1", "\"index\": -1",
                "t.json: gpus[1].index: expected an integer from 0, got -1"},
        BadCase{"\"index\": 1", "\"index\": 99999999999",
                "t.json: gpus[1].index: expected an integer"},
        BadCase{"\"index\": 1", "\"index\": 18446744073709551615",
                "t.json: gpus[1].index: expected an integer"},
        BadCase{"\"index\": 1", "\"index\": 1.0", "t.json: gpus[1].index: expected an integer"},
        BadCase{"0000:08:00.0", "08:00.0", "t.json: gpus[1].pci: expected a PCI address"},
        BadCase{"0000:08:00.0", "0000:05:00.0", "t.json: gpus[1].pci: expected an address above"},
        BadCase{"\"numa\": -1", "\"numa\": 2",
                "t.json: gpus[1].numa: expected -1 or the id of one of numa_nodes, got 2"},
        BadCase{"\"0x2\"", "\"0x1\"", "t.json: gpus[1].unique_id: expected an id that no other"},
        BadCase{"\"0x2\"", "\"0xZ\"", "t.json: gpus[1].unique_id: expected a 64-bit hexadecimal"},
        BadCase{"\"0x2\"", "\"0x11112222333344445\"",
                "t.json: gpus[1].unique_id: expected a 64-bit hexadecimal"},
        BadCase{"\"64GiB\"", "64", "t.json: gpus[0].vram: expected a string, got 64"},
        BadCase{"\"64GiB\"", "\"64\"", "t.json: gpus[0].vram: expected a size"},
        BadCase{"\"arch\": \"a\", ", "", "t.json: gpus[0]: missing key 'arch'"},
        BadCase{"\"id\": 1", "\"id\": 0", "t.json: numa_nodes[1].id: expected an id above"},
        BadCase{"4-7", "7-4", "t.json: numa_nodes[1].cpus: expected a CPU list"},
        BadCase{"4-7", "3-7", "t.json: numa_nodes[1].cpus: expected CPUs that no other"},
        BadCase{
            "[[0, 15], [15, 0]]", "[[0, 15], [40, 0]]",
            "t.json: links.weight[1][0]: expected the same value as links.weight[0][1], got 40"},
        BadCase{"[[0, 15], [15, 0]]", "[[0, 15]]",
                "t.json: links.weight: expected 2 rows of 2 values"},
        BadCase{"[[0, 15], [15, 0]]", "[[0, 15], [15]]",
                "t.json: links.weight[1]: expected 2 values"},
        BadCase{"[[0, 15], [15, 0]]", "{}", "t.json: links.weight: expected 2 rows"},
        BadCase{"\"xgmi\"], [\"xgmi\"", "\"XGMI\"], [\"XGMI\"",
                "t.json: links.type[0][1]: expected one of self, xgmi"},
        BadCase{"\"xgmi\"], [\"xgmi\"", "\"self\"], [\"self\"",
                "t.json: links.type[0][1]: expected a link"},
        BadCase{"[\"self\", \"xgmi\"]", "[\"pcie\", \"xgmi\"]",
                "t.json: links.type[0][0]: expected self"}));

TEST(RecordedTopology, TheSmallDocumentItselfIsGood) {
  const auto topology = parse_topology_json(kSmall, "t.json");
  ASSERT_TRUE(topology.ok()) << topology.error().message;
  EXPECT_TRUE(topology->simulated);
  EXPECT_EQ(topology->source, "t.json");
}

}  // namespace
}  // namespace sglexp
