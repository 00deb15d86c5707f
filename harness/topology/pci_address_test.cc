// SPDX-License-Identifier: Apache-2.0
#include "harness/topology/pci_address.h"

#include <gtest/gtest.h>

namespace sglexp {
namespace {

TEST(PciAddress, AcceptsOnlyTheCanonicalForm) {
  for (const char* const good :
       {"0000:05:00.0", "0000:c5:1f.7", "10000:e1:00.0", "7fffffff:00:00.0"}) {
    EXPECT_TRUE(is_pci_address(good)) << good;
  }
  for (const char* const bad :
       {"", "05:00.0", "0000:C5:00.0", "0000:c5:00.8", "0000:c5:00", "0000:c5:00.0 ", "000:c5:00.0",
        "0000:c5-00.0", "0000:g5:00.0", "000000000:c5:00.0"}) {
    EXPECT_FALSE(is_pci_address(bad)) << bad;
  }
}

TEST(PciAddress, DecodesKfdLocationIds) {
  EXPECT_EQ(pci_address_from_kfd(0, 0xC500), "0000:c5:00.0");
  EXPECT_EQ(pci_address_from_kfd(0, 1280), "0000:05:00.0");
  EXPECT_EQ(pci_address_from_kfd(1, (0x4A << 8) | (3 << 3) | 2), "0001:4a:03.2");
  EXPECT_EQ(pci_address_from_kfd(0x10000, 0xE100), "10000:e1:00.0");
}

}  // namespace
}  // namespace sglexp
