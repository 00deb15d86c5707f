// SPDX-License-Identifier: Apache-2.0
#include "harness/topology/pci_address.h"

#include <algorithm>

#include <fmt/format.h>

namespace sglexp {

namespace {

bool all_of_set(std::string_view text, std::string_view set) {
  return text.find_first_not_of(set) == std::string_view::npos;
}

}  // namespace

bool is_pci_address(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 4 || colon > 8) {
    return false;
  }
  const std::string_view rest = text.substr(colon);  // ":c5:00.0"
  return all_of_set(text.substr(0, colon), kHex) && rest.size() == 8 && rest[3] == ':' &&
         rest[6] == '.' && all_of_set(rest.substr(1, 2), kHex) &&
         all_of_set(rest.substr(4, 2), kHex) && rest[7] >= '0' && rest[7] <= '7';
}

std::string pci_address_from_kfd(std::uint32_t domain, std::uint32_t location_id) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, (location_id >> 8) & 0xFF,
                     (location_id >> 3) & 0x1F, location_id & 0x7);
}

}  // namespace sglexp
