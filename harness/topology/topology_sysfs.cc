// SPDX-License-Identifier: Apache-2.0
// The live machine's topology from sysfs.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/sys/files.h"
#include "harness/topology/kfd_nodes.h"
#include "harness/topology/pci_address.h"
#include "harness/topology/topology.h"

namespace sglexp {

namespace {

namespace fs = std::filesystem;

// Added for crossing CPU sockets where the CPU-to-CPU link cannot be read (rocm_smi_lib's value).
constexpr int kUnreadableSocketWeight = 10;

// One attribute as a number; `otherwise` where it is absent or no number.
std::int64_t read_number(const fs::path& path, std::int64_t otherwise) {
  const auto text = read_file(path.string(), 4096);
  if (!text.ok()) {
    return otherwise;
  }
  const std::string_view digits = trim(text.value());
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && stop == digits.data() + digits.size() ? value : otherwise;
}

std::int64_t parse_memory_total(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemTotal:";
  const std::size_t at = meminfo.find(kKey);
  if (at == std::string_view::npos) {
    return 0;
  }
  const std::string_view rest = trim(meminfo.substr(at + kKey.size()));
  std::int64_t kib = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), kib);
  return kib * 1024;
}

Result<std::vector<NumaNode>> read_numa_nodes(const fs::path& root) {
  std::vector<NumaNode> nodes;
  std::error_code error;
  const fs::path directory = root / "sys/devices/system/node";
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const auto id = name.starts_with("node") ? parse_ranges(name.substr(4)) : std::nullopt;
    if (!id || id->size() != 1) {
      continue;  // "online", "power" ...
    }
    SGLEXP_TRY(const std::string cpus, read_file((it->path() / "cpulist").string(), 1 << 16));
    const auto list = parse_ranges(cpus);
    if (!list) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("{}: expected a CPU list, got '{}'",
                               (it->path() / "cpulist").string(), printable(trim(cpus), 60))};
    }
    const auto meminfo = read_file((it->path() / "meminfo").string(), 1 << 16);
    nodes.push_back({id->front(), *list, meminfo.ok() ? parse_memory_total(meminfo.value()) : 0});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.id < b.id; });
  return nodes;
}

std::uint64_t property(const KfdNode& node, const std::string& key) {
  const auto found = node.properties.find(key);
  return found == node.properties.end() ? 0 : found->second;
}

// 90010 -> "gfx90a": major * 10000 + minor * 100 + stepping, the last two printed in hexadecimal.
std::string arch_name(std::uint64_t version) {
  return version == 0
             ? ""
             : fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

Result<Gpu> make_gpu(const KfdNode& node, const fs::path& root, const Topology& topology) {
  if (!node.properties.contains("location_id")) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("KFD node {} is a GPU without location_id: its PCI address is unknown",
                             node.id)};
  }
  Gpu gpu;
  gpu.pci = pci_address_from_kfd(static_cast<std::uint32_t>(property(node, "domain")),
                                 static_cast<std::uint32_t>(property(node, "location_id")));
  const fs::path device = root / "sys/bus/pci/devices" / gpu.pci;
  const auto numa = static_cast<int>(read_number(device / "numa_node", -1));
  gpu.numa = topology.find_numa(numa) != nullptr ? numa : -1;
  gpu.arch = arch_name(property(node, "gfx_target_version"));
  const auto model = read_file((device / "product_name").string(), 4096);
  gpu.model = model.ok() ? printable(trim(model.value())) : "";
  gpu.unique_id = property(node, "unique_id");
  gpu.render_minor = node.properties.contains("drm_render_minor")
                         ? static_cast<int>(property(node, "drm_render_minor"))
                         : -1;
  gpu.kfd_node = node.id;
  gpu.vram_bytes = read_number(device / "mem_info_vram_total", 0);
  return gpu;
}

const KfdLink* find_link(const std::vector<KfdLink>& links, int to) {
  const auto found =
      std::find_if(links.begin(), links.end(), [&](const KfdLink& link) { return link.to == to; });
  return found == links.end() ? nullptr : &*found;
}

class LinkFinder {
 public:
  explicit LinkFinder(const std::vector<KfdNode>& nodes) {
    for (const KfdNode& node : nodes) {
      by_id_.emplace(node.id, &node);
    }
  }

  [[nodiscard]] Link between(const KfdNode& a, const KfdNode& b) const {
    if (a.id == b.id) {
      return {LinkType::kSelf, 0, 0};
    }
    const KfdLink* const direct = find_link(a.io_links, b.id);
    if (direct != nullptr && direct->type == kKfdLinkXgmi) {
      // rocm-smi says one hop for every XGMI pair; the weight tells one from two.
      return {LinkType::kXgmi, direct->weight, 1};
    }
    return over_cpus(a, b);
  }

 private:
  // GPU -> its CPU (-> the other CPU) -> GPU, weighed as rocm_smi_lib does it. The kernel's own
  // figure is taken where it gives one.
  [[nodiscard]] Link over_cpus(const KfdNode& a, const KfdNode& b) const {
    const KfdLink* const up = cpu_link(a);
    const KfdLink* const down = cpu_link(b);
    const KfdLink* const kernel = find_link(a.p2p_links, b.id);
    if (up == nullptr || down == nullptr) {
      return kernel == nullptr ? Link{} : Link{LinkType::kPcie, kernel->weight, 0};
    }
    const bool same_cpu = up->to == down->to;
    const int weight = up->weight + down->weight + (same_cpu ? 0 : socket_weight(up->to, down->to));
    return {LinkType::kPcie, kernel != nullptr ? kernel->weight : weight, same_cpu ? 2 : 3};
  }

  [[nodiscard]] const KfdLink* cpu_link(const KfdNode& gpu) const {
    for (const KfdLink& link : gpu.io_links) {
      const auto found = by_id_.find(link.to);
      if (found != by_id_.end() && !found->second->is_gpu) {
        return &link;
      }
    }
    return nullptr;
  }

  [[nodiscard]] int socket_weight(int from, int to) const {
    const KfdLink* const link = find_link(by_id_.at(from)->io_links, to);
    return link == nullptr ? kUnreadableSocketWeight : link->weight;
  }

  std::map<int, const KfdNode*> by_id_;
};

// PCI devices that the driver holds: unlike KFD's nodes, no device cgroup hides them.
std::vector<std::string> driver_addresses(const fs::path& root) {
  std::vector<std::string> addresses;
  std::error_code error;
  const fs::path directory = root / "sys/bus/pci/drivers/amdgpu";
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (is_pci_address(name)) {
      addresses.push_back(name);
    }
  }
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

// Ranks among all GPUs of the node. Where the driver's list does not add up, only the rank among
// the readable ones is known.
void assign_indices(std::vector<Gpu>& gpus, int hidden, const fs::path& root) {
  const std::vector<std::string> all = driver_addresses(root);
  const bool adds_up = hidden > 0 && all.size() == gpus.size() + static_cast<std::size_t>(hidden);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto found = std::lower_bound(all.begin(), all.end(), gpus[i].pci);
    gpus[i].index = adds_up ? static_cast<int>(found - all.begin()) : static_cast<int>(i);
  }
}

}  // namespace

Result<Topology> read_sysfs_topology(const std::string& root) {
  SGLEXP_TRY(const KfdNodes kfd, read_kfd_nodes(root));
  Topology topology;
  topology.source = "sysfs";
  SGLEXP_TRY(topology.numa_nodes, read_numa_nodes(root));
  std::vector<std::pair<Gpu, const KfdNode*>> found;
  for (const KfdNode& node : kfd.nodes) {
    if (node.is_gpu) {
      SGLEXP_TRY(Gpu gpu, make_gpu(node, root, topology));
      found.emplace_back(std::move(gpu), &node);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first.pci < b.first.pci; });
  const LinkFinder links(kfd.nodes);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].first.pci == found[i - 1].first.pci) {
      return Error{ErrorCode::kInvalidInput,
                   fmt::format("KFD nodes {} and {} are both GPU {}: compute partitions (DPX, CPX) "
                               "are not supported, set the GPU to SPX",
                               found[i - 1].second->id, found[i].second->id, found[i].first.pci)};
    }
    topology.gpus.push_back(found[i].first);
    std::vector<Link>& row = topology.links.emplace_back();
    for (const auto& [gpu, node] : found) {
      row.push_back(links.between(*found[i].second, *node));
    }
  }
  assign_indices(topology.gpus, kfd.hidden, root);
  assign_hives(topology);
  return topology;
}

}  // namespace sglexp
