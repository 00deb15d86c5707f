// SPDX-License-Identifier: Apache-2.0
// A fake /sys of two sockets with two MI210 each, as Linux lays it out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/sys/files.h"
#include "harness/topology/topology.h"

namespace sglexp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct FakeGpu {
  int node;
  int bus;
  int numa;
  std::uint64_t unique_id;
};

class SysfsTopology : public ::testing::Test {
 protected:
  // KFD enumerates in another order than PCI here: node 2 is the highest bus.
  SysfsTopology() : gpus_{{2, 0xC8, 1, 14}, {3, 0x05, 0, 11}, {4, 0x08, 0, 12}, {5, 0xC5, 1, 13}} {
    for (const int cpu : {0, 1}) {
      kfd(cpu, "gpu_id", "0\n");
      kfd(cpu, "properties", "cpu_cores_count 4\nsimd_count 0\n");
    }
    link(0, "io_links/0", 2, 1, 32);
    link(1, "io_links/0", 2, 0, 32);
    for (const FakeGpu& gpu : gpus_) {
      add(gpu);
    }
    xgmi(3, 4);
    xgmi(5, 2);
    put("sys/devices/system/node/node0/cpulist", "0-3\n");
    put("sys/devices/system/node/node0/meminfo",
        "\nNode 0 MemTotal:       1024 kB\nNode 0 MemFree: 3 kB\n");
    put("sys/devices/system/node/node1/cpulist", "4-7\n");
    put("sys/devices/system/node/online", "0-1\n");
  }

  void put(const std::string& path, const std::string& text) {
    const std::string whole = directory_.path() + "/" + path;
    ASSERT_TRUE(make_directories(whole.substr(0, whole.rfind('/'))).ok());
    ASSERT_TRUE(write_file_atomic(whole, text).ok());
  }
  void kfd(int node, const std::string& file, const std::string& text) {
    put("sys/class/kfd/kfd/topology/nodes/" + std::to_string(node) + "/" + file, text);
  }
  void link(int from, const std::string& where, int type, int to, int weight) {
    kfd(from, where + "/properties",
        "type " + std::to_string(type) + "\nversion_major 0\nnode_from " + std::to_string(from) +
            "\nnode_to " + std::to_string(to) + "\nweight " + std::to_string(weight) + "\n");
  }
  void xgmi(int a, int b) {
    link(a, "io_links/1", 11, b, 15);
    link(b, "io_links/1", 11, a, 15);
  }
  static std::string pci(const FakeGpu& gpu) {
    const char* const digits = "0123456789abcdef";
    return std::string("0000:") + digits[gpu.bus / 16] + digits[gpu.bus % 16] + ":00.0";
  }
  void add(const FakeGpu& gpu) {
    kfd(gpu.node, "gpu_id", "4242\n");
    kfd(gpu.node, "properties",
        "simd_count 416\nname_with_text aldebaran\ngfx_target_version 90010\nlocation_id " +
            std::to_string(gpu.bus << 8) + "\ndomain 0\ndrm_render_minor " +
            std::to_string(126 + gpu.node) + "\nunique_id " + std::to_string(gpu.unique_id) + "\n");
    link(gpu.node, "io_links/0", 2, gpu.numa, 20);
    const std::string device = "sys/bus/pci/devices/" + pci(gpu) + "/";
    put(device + "numa_node", std::to_string(gpu.numa) + "\n");
    put(device + "mem_info_vram_total", "68702699520\n");
    put(device + "product_name", "AMD Instinct MI210\n");
    put("sys/bus/pci/drivers/amdgpu/" + pci(gpu) + "/uevent", "");
  }
  // What EPERM does for an unprivileged process happens to root only through a file that cannot be
  // read as one.
  void hide(int node) {
    const std::string base =
        directory_.path() + "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(node);
    ASSERT_TRUE(remove_tree(base, directory_.path()).ok());
    ASSERT_TRUE(make_directories(base + "/gpu_id").ok());
    ASSERT_TRUE(make_directories(base + "/properties").ok());
  }
  Topology read() {
    auto topology = read_sysfs_topology(directory_.path());
    EXPECT_TRUE(topology.ok()) << (topology.ok() ? "" : topology.error().message);
    return topology.ok() ? std::move(topology).value() : Topology{};
  }
  template <typename T>
  static std::vector<T> each(const Topology& topology, T Gpu::*field) {
    std::vector<T> out;
    for (const Gpu& gpu : topology.gpus) {
      out.push_back(gpu.*field);
    }
    return out;
  }

  TempDir directory_;
  std::vector<FakeGpu> gpus_;
};

TEST_F(SysfsTopology, OrdersGpusByPciAddressAndKeepsTheRuntimesOrder) {
  const Topology topology = read();
  EXPECT_EQ(topology.source, "sysfs");
  EXPECT_FALSE(topology.simulated);
  EXPECT_THAT(each(topology, &Gpu::pci),
              ElementsAre("0000:05:00.0", "0000:08:00.0", "0000:c5:00.0", "0000:c8:00.0"));
  EXPECT_THAT(each(topology, &Gpu::index), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(each(topology, &Gpu::kfd_node), ElementsAre(3, 4, 5, 2));
  EXPECT_THAT(each(topology, &Gpu::numa), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(each(topology, &Gpu::hive), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(each(topology, &Gpu::render_minor), ElementsAre(129, 130, 131, 128));
}

TEST_F(SysfsTopology, ReadsWhatAGpuIs) {
  const Topology topology = read();
  const Gpu* const gpu = topology.find_pci("0000:05:00.0");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->arch, "gfx90a");
  EXPECT_EQ(gpu->model, "AMD Instinct MI210");
  EXPECT_EQ(gpu->unique_id, 11U);
  EXPECT_EQ(gpu->vram_bytes, 68702699520);
}

TEST_F(SysfsTopology, ReadsNumaNodes) {
  const Topology topology = read();
  ASSERT_EQ(topology.numa_nodes.size(), 2U);
  EXPECT_THAT(topology.numa_nodes[0].cpus, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(topology.numa_nodes[0].memory_bytes, 1024 * 1024);
  EXPECT_EQ(topology.numa_nodes[1].id, 1);
  EXPECT_EQ(topology.numa_nodes[1].memory_bytes, 0);
}

TEST_F(SysfsTopology, WeighsPcieOverTheSockets) {
  const Topology topology = read();
  EXPECT_EQ(topology.link(0, 1).type, LinkType::kXgmi);
  EXPECT_EQ(topology.link(0, 1).weight, 15);
  EXPECT_EQ(topology.link(0, 2).type, LinkType::kPcie);
  EXPECT_EQ(topology.link(0, 2).weight, 72);
  EXPECT_EQ(topology.link(0, 2).hops, 3);
}

TEST_F(SysfsTopology, WeighsPcieOverOneSocketAndBelievesTheKernelsOwnFigure) {
  add({6, 0x47, 0, 15});
  EXPECT_EQ(read().link(0, 2).weight, 40);
  EXPECT_EQ(read().link(0, 2).hops, 2);
  link(3, "p2p_links/0", 2, 6, 41);
  EXPECT_EQ(read().link(0, 2).weight, 41);
}

TEST_F(SysfsTopology, AddsTenWhereTheSocketLinkIsUnreadable) {
  ASSERT_TRUE(remove_tree(directory_.path() + "/sys/class/kfd/kfd/topology/nodes/0/io_links",
                          directory_.path())
                  .ok());
  EXPECT_EQ(read().link(0, 2).weight, 50);
}

TEST_F(SysfsTopology, SkipsForbiddenGpusAndKeepsGlobalIndices) {
  hide(3);
  hide(4);
  const Topology topology = read();
  EXPECT_THAT(each(topology, &Gpu::pci), ElementsAre("0000:c5:00.0", "0000:c8:00.0"));
  EXPECT_THAT(each(topology, &Gpu::index), ElementsAre(2, 3));
  EXPECT_THAT(each(topology, &Gpu::hive), ElementsAre(0, 0));
  EXPECT_EQ(topology.link(2, 3).type, LinkType::kXgmi);
}

TEST_F(SysfsTopology, CountsFromZeroWhereTheDriversListDoesNotAddUp) {
  hide(3);
  put("sys/bus/pci/drivers/amdgpu/0000:ff:00.0/uevent", "");
  EXPECT_THAT(each(read(), &Gpu::index), ElementsAre(0, 1, 2));
}

TEST_F(SysfsTopology, UnknownNumaNodeIsMinusOne) {
  put("sys/bus/pci/devices/0000:05:00.0/numa_node", "-1\n");
  EXPECT_THAT(each(read(), &Gpu::numa), ElementsAre(-1, 0, 1, 1));
}

TEST_F(SysfsTopology, RefusesTwoNodesOnOneAddress) {
  add({6, 0x05, 0, 15});
  EXPECT_THAT(read_sysfs_topology(directory_.path()).error().message,
              HasSubstr("KFD nodes 3 and 6 are both GPU 0000:05:00.0: compute partitions"));
}

TEST_F(SysfsTopology, RefusesAGpuWithoutAnAddress) {
  kfd(3, "properties", "simd_count 416\n");
  EXPECT_THAT(read_sysfs_topology(directory_.path()).error().message, HasSubstr("KFD node 3"));
}

TEST_F(SysfsTopology, RefusesABrokenCpuList) {
  put("sys/devices/system/node/node1/cpulist", "4-x\n");
  EXPECT_THAT(read_sysfs_topology(directory_.path()).error().message,
              HasSubstr("node1/cpulist: expected a CPU list, got '4-x'"));
}

TEST_F(SysfsTopology, SurvivesTheRoundTripThroughJson) {
  hide(3);
  const Topology before = read();
  const auto after = parse_topology_json(topology_to_json(before), "report");
  ASSERT_TRUE(after.ok()) << after.error().message;
  EXPECT_FALSE(after->simulated);
  EXPECT_EQ(topology_to_json(after.value()), topology_to_json(before));
}

TEST(SysfsTopologyWithoutDriver, IsNotFoundAndSaysWhatWasLookedFor) {
  const TempDir empty;
  const auto topology = read_sysfs_topology(empty.path());
  ASSERT_FALSE(topology.ok());
  EXPECT_EQ(topology.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(topology.error().message,
              HasSubstr("sys/class/kfd/kfd/topology/nodes does not exist"));
}

}  // namespace
}  // namespace sglexp
