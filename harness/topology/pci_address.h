// SPDX-License-Identifier: Apache-2.0
// PCI bus addresses, "domain:bus:device.function", the identity of a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sglexp {

// Exactly "0000:c5:00.0": lower case, four to eight digits of domain (Linux gives VMD and Hyper-V
// devices more than four).
[[nodiscard]] bool is_pci_address(std::string_view text);

// From KFD's node properties: `location_id` holds bus << 8 | device << 3 | function in its low 16
// bits (Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c).
[[nodiscard]] std::string pci_address_from_kfd(std::uint32_t domain, std::uint32_t location_id);

}  // namespace sglexp
