// SPDX-License-Identifier: Apache-2.0
// Devices for the tests of visibility: GPU i of a node with eight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/placement/visibility.h"

namespace sglexp {

inline const std::optional<std::string> kUnset;
inline const std::vector<int> kAll = {0, 1, 2, 3, 4, 5, 6, 7};

inline std::string pci(int index) {
  return "0000:0" + std::to_string(index) + ":00.0";
}

// By physical index. GPU 0's id has leading zeros, 2 and 3 begin alike, 7 has none.
inline std::vector<VisibleDevice> node(const std::vector<int>& indices) {
  constexpr std::uint64_t kIds[] = {
      0x005012f9bd2c780bU, 0x1d8fc1269c2f61ceU, 0xdc405000d5f92d40U, 0xdc40500111111111U,
      0x5af0dedb0fc2f8b2U, 0x1a4926482ca7de6bU, 0xd9a16db5498cc424U, 0};
  std::vector<VisibleDevice> out;
  for (const int i : indices) {
    out.push_back({i, pci(i), kIds[i]});
  }
  return out;
}

inline std::vector<int> physical(const std::vector<VisibleDevice>& devices) {
  std::vector<int> out;
  for (const VisibleDevice& device : devices) {
    out.push_back(device.index);
  }
  return out;
}

inline std::vector<std::string> addresses(const std::vector<int>& indices) {
  std::vector<std::string> out;
  for (const int i : indices) {
    out.push_back(pci(i));
  }
  return out;
}

}  // namespace sglexp
