// SPDX-License-Identifier: Apache-2.0
// The recorded form of a Topology.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/sys/files.h"
#include "harness/topology/pci_address.h"
#include "harness/topology/topology.h"

namespace sglexp {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "sglexp-topology/1";
constexpr std::size_t kMostGpus = 1024;  // bounds the matrices of a hostile file

// A place in the document: the value and its path, so that every complaint can name it.
struct At {
  const Json& value;
  std::string source;
  std::string path;  // "gpus[2].pci"; empty: the whole document

  [[nodiscard]] Error error(std::string_view what) const {
    return {ErrorCode::kInvalidInput,
            fmt::format("{}: {}{}{}", source, path, path.empty() ? "" : ": ", what)};
  }
  [[nodiscard]] Error wrong(std::string_view expected) const {
    const std::string shown = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return error(fmt::format("expected {}, got {}", expected, printable(shown, 60)));
  }
  [[nodiscard]] At item(std::size_t i) const {
    return {value[i], source, fmt::format("{}[{}]", path, i)};
  }
  // The key must exist.
  [[nodiscard]] At member(const std::string& key) const {
    return {value.at(key), source, path.empty() ? key : path + "." + key};
  }
};

Status check_keys(const At& at, std::initializer_list<std::string> required,
                  std::initializer_list<std::string> optional = {}) {
  if (!at.value.is_object()) {
    return at.wrong("an object");
  }
  std::vector<std::string> known(required);
  known.insert(known.end(), optional);
  for (const auto& [key, unused] : at.value.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const auto near = nearest(key, known);
      return at.error(fmt::format("unknown key '{}'{}", printable(key, 60),
                                  near ? fmt::format(" (did you mean '{}'?)", *near) : ""));
    }
  }
  for (const std::string& key : required) {
    if (!at.value.contains(key)) {
      return at.error(fmt::format("missing key '{}'", key));
    }
  }
  return Ok{};
}

Status check_array(const At& at, std::size_t most, std::string_view expected) {
  return at.value.is_array() && at.value.size() <= most ? Status(Ok{}) : at.wrong(expected);
}

Result<int> read_int(const At& at, int low, int high = std::numeric_limits<int>::max()) {
  if (at.value.is_number_integer() && at.value >= low && at.value <= high) {
    return at.value.get<int>();
  }
  return at.wrong(high == std::numeric_limits<int>::max()
                      ? fmt::format("an integer from {}", low)
                      : fmt::format("an integer {}..{}", low, high));
}

Result<std::string> read_string(const At& at) {
  return at.value.is_string() ? Result<std::string>(at.value.get<std::string>())
                              : at.wrong("a string");
}

Result<std::int64_t> read_size(const At& at) {
  SGLEXP_TRY(const std::string text, read_string(at));
  const auto size = parse_size(text);
  return size.ok() ? size : at.wrong("a size such as \"64GiB\"");
}

Result<std::uint64_t> read_unique_id(const At& at) {
  SGLEXP_TRY(const std::string text, read_string(at));
  std::uint64_t id = 0;
  const char* const end = text.data() + text.size();
  const bool prefixed = text.starts_with("0x") && text.size() > 2;
  const auto parsed = std::from_chars(text.data() + (prefixed ? 2 : 0), end, id, 16);
  if (!prefixed || parsed.ec != std::errc{} || parsed.ptr != end) {
    return at.wrong("a 64-bit hexadecimal number such as \"0x5012f9bd2c780b00\"");
  }
  return id;
}

Result<Gpu> read_gpu(const At& at) {
  SGLEXP_CHECK(
      check_keys(at, {"index", "pci", "numa", "arch", "model", "unique_id", "render_minor", "vram"},
                 {"kfd_node"}));
  Gpu gpu;
  SGLEXP_TRY(gpu.index, read_int(at.member("index"), 0));
  SGLEXP_TRY(gpu.pci, read_string(at.member("pci")));
  if (!is_pci_address(gpu.pci)) {
    return at.member("pci").wrong("a PCI address in lower case such as \"0000:05:00.0\"");
  }
  SGLEXP_TRY(gpu.numa, read_int(at.member("numa"), -1));
  SGLEXP_TRY(gpu.arch, read_string(at.member("arch")));
  SGLEXP_TRY(gpu.model, read_string(at.member("model")));
  SGLEXP_TRY(gpu.unique_id, read_unique_id(at.member("unique_id")));
  SGLEXP_TRY(gpu.render_minor, read_int(at.member("render_minor"), -1));
  SGLEXP_TRY(gpu.vram_bytes, read_size(at.member("vram")));
  if (at.value.contains("kfd_node")) {
    SGLEXP_TRY(gpu.kfd_node, read_int(at.member("kfd_node"), -1));
  }
  return gpu;
}

Result<NumaNode> read_numa_node(const At& at) {
  SGLEXP_CHECK(check_keys(at, {"id", "cpus", "memory"}));
  NumaNode node;
  SGLEXP_TRY(node.id, read_int(at.member("id"), 0));
  SGLEXP_TRY(const std::string cpus, read_string(at.member("cpus")));
  const auto parsed = parse_ranges(cpus);
  if (!parsed) {
    return at.member("cpus").wrong("a CPU list such as \"0-31,64-95\"");
  }
  node.cpus = *parsed;
  SGLEXP_TRY(node.memory_bytes, read_size(at.member("memory")));
  return node;
}

Result<LinkType> read_link_type(const At& at) {
  for (const LinkType type :
       {LinkType::kSelf, LinkType::kXgmi, LinkType::kNvlink, LinkType::kPcie, LinkType::kUnknown}) {
    if (at.value.is_string() && at.value == link_type_name(type)) {
      return type;
    }
  }
  return at.wrong("one of self, xgmi, nvlink, pcie, unknown");
}

Status check_square(const At& matrix, std::size_t size) {
  const std::string expected = fmt::format("{0} rows of {0} values, one per GPU", size);
  if (!matrix.value.is_array() || matrix.value.size() != size) {
    return matrix.wrong(expected);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const At row = matrix.item(i);
    if (!row.value.is_array() || row.value.size() != size) {
      return row.wrong(fmt::format("{} values, one per GPU", size));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (row.value[j] != matrix.value[j][i]) {
        return row.item(j).wrong(fmt::format("the same value as {}", matrix.item(j).item(i).path));
      }
    }
  }
  return Ok{};
}

Status read_links(const At& at, Topology& topology) {
  const std::size_t size = topology.gpus.size();
  SGLEXP_CHECK(check_keys(at, {"type", "weight", "hops"}));
  for (const char* const name : {"type", "weight", "hops"}) {
    SGLEXP_CHECK(check_square(at.member(name), size));
  }
  topology.links.assign(size, std::vector<Link>(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      Link& link = topology.links[i][j];
      const At type = at.member("type").item(i).item(j);
      SGLEXP_TRY(link.type, read_link_type(type));
      if ((link.type == LinkType::kSelf) != (i == j)) {
        return type.wrong(i == j ? "self on the diagonal" : "a link: self belongs on the diagonal");
      }
      SGLEXP_TRY(link.weight, read_int(at.member("weight").item(i).item(j), 0));
      SGLEXP_TRY(link.hops, read_int(at.member("hops").item(i).item(j), 0));
    }
  }
  return Ok{};
}

Status read_gpus(const At& at, Topology& topology) {
  SGLEXP_CHECK(check_array(at, kMostGpus, "an array of at most 1024 GPUs"));
  std::set<std::uint64_t> ids;
  for (std::size_t i = 0; i < at.value.size(); ++i) {
    SGLEXP_TRY(Gpu gpu, read_gpu(at.item(i)));
    if (i > 0 && gpu.index <= topology.gpus.back().index) {
      return at.item(i).member("index").wrong("an index above the GPU before it");
    }
    if (i > 0 && gpu.pci <= topology.gpus.back().pci) {
      return at.item(i).member("pci").wrong("an address above the GPU before it");
    }
    if (gpu.unique_id != 0 && !ids.insert(gpu.unique_id).second) {
      return at.item(i).member("unique_id").wrong("an id that no other GPU has");
    }
    topology.gpus.push_back(std::move(gpu));
  }
  return Ok{};
}

Status read_numa_nodes(const At& at, Topology& topology) {
  SGLEXP_CHECK(check_array(at, kMostGpus, "an array of at most 1024 NUMA nodes"));
  std::set<int> cpus;
  for (std::size_t i = 0; i < at.value.size(); ++i) {
    SGLEXP_TRY(NumaNode node, read_numa_node(at.item(i)));
    if (i > 0 && node.id <= topology.numa_nodes.back().id) {
      return at.item(i).member("id").wrong("an id above the node before it");
    }
    for (const int cpu : node.cpus) {
      if (!cpus.insert(cpu).second) {
        return at.item(i).member("cpus").wrong("CPUs that no other NUMA node has");
      }
    }
    topology.numa_nodes.push_back(std::move(node));
  }
  return Ok{};
}

Status check_gpu_numa(const At& gpus, const Topology& topology) {
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    if (topology.gpus[i].numa >= 0 && topology.find_numa(topology.gpus[i].numa) == nullptr) {
      return gpus.item(i).member("numa").wrong("-1 or the id of one of numa_nodes");
    }
  }
  return Ok{};
}

Result<Topology> read_topology(const At& at, std::string_view source) {
  SGLEXP_CHECK(check_keys(at, {"schema", "gpus", "numa_nodes"},
                          {"description", "source", "simulated", "links"}));
  if (at.value["schema"] != kSchema) {
    return at.member("schema").wrong(fmt::format("\"{}\"", kSchema));
  }
  Topology topology;
  topology.source = source;
  topology.simulated = true;
  if (at.value.contains("source")) {
    SGLEXP_TRY(topology.source, read_string(at.member("source")));
  }
  if (at.value.contains("description")) {
    SGLEXP_TRY(const std::string unused, read_string(at.member("description")));
  }
  if (at.value.contains("simulated")) {
    if (!at.value["simulated"].is_boolean()) {
      return at.member("simulated").wrong("true or false");
    }
    topology.simulated = at.value["simulated"].get<bool>();
  }
  SGLEXP_CHECK(read_numa_nodes(at.member("numa_nodes"), topology));
  SGLEXP_CHECK(read_gpus(at.member("gpus"), topology));
  SGLEXP_CHECK(check_gpu_numa(at.member("gpus"), topology));
  if (at.value.contains("links")) {
    SGLEXP_CHECK(read_links(at.member("links"), topology));
  }
  assign_hives(topology);
  return topology;
}

}  // namespace

Result<Topology> parse_topology_json(std::string_view json, std::string_view source) {
  try {
    const Json document = Json::parse(json);
    return read_topology({document, std::string(source), ""}, source);
  } catch (const Json::exception& error) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("{}: not JSON: {}", source, printable(error.what()))};
  }
}

Result<Topology> load_recorded_topology(const std::string& path) {
  SGLEXP_TRY(const std::string text, read_file(path, 1 << 24));
  SGLEXP_TRY(Topology topology, parse_topology_json(text, path));
  topology.source = "recorded:" + std::filesystem::path(path).filename().string();
  topology.simulated = true;
  return topology;
}

}  // namespace sglexp
