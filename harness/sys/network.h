// SPDX-License-Identifier: Apache-2.0
// Names, addresses and ports of this host.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"

namespace sglexp {

[[nodiscard]] std::string host_name();

// Address literals that `name` resolves to here, in the resolver's order, without repeats.
// A literal resolves to itself. kNotFound: the resolver does not know it.
[[nodiscard]] Result<std::vector<std::string>> resolve(const std::string& name);

[[nodiscard]] bool is_loopback(const std::string& address);

// Tries to bind `port` on `address` as a server would (SO_REUSEADDR, so TIME_WAIT does not count).
// Empty: free. Otherwise the system's words for what is wrong.
[[nodiscard]] std::string port_problem(const std::string& address, int port);

// First and last port the kernel hands out by itself (net.ipv4.ip_local_port_range).
struct PortRange {
  int first = 32768;
  int last = 60999;
};
[[nodiscard]] PortRange ephemeral_ports();

}  // namespace sglexp
