// SPDX-License-Identifier: Apache-2.0
#include "harness/sys/network.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "harness/sys/files.h"

namespace sglexp {

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList look_up(const std::string& name, const char* service, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int rc = getaddrinfo(name.c_str(), service, &hints, &found);
  return {rc == 0 ? found : nullptr, &freeaddrinfo};
}

std::string literal(const addrinfo& entry) {
  std::array<char, NI_MAXHOST> text{};
  const int rc = getnameinfo(entry.ai_addr, entry.ai_addrlen, text.data(), text.size(), nullptr, 0,
                             NI_NUMERICHOST);
  return rc == 0 ? text.data() : "";
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Result<std::vector<std::string>> resolve(const std::string& name) {
  const AddressList list = look_up(name, nullptr, 0);
  if (!list) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("'{}' does not resolve on {}", name, host_name())};
  }
  std::vector<std::string> out;
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    const std::string text = literal(*entry);
    if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end()) {
      out.push_back(text);
    }
  }
  return out;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

std::string port_problem(const std::string& address, int port) {
  const AddressList list =
      look_up(address, std::to_string(port).c_str(), AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE);
  if (!list) {
    return fmt::format("'{}' is not an address", address);
  }
  const int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return std::strerror(errno);
  }
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  std::string problem;
  if (bind(fd, list->ai_addr, list->ai_addrlen) != 0 || listen(fd, 1) != 0) {
    problem = std::strerror(errno);
  }
  close(fd);
  return problem;
}

PortRange ephemeral_ports() {
  PortRange range;
  if (const auto text = read_file("/proc/sys/net/ipv4/ip_local_port_range", 4096); text.ok()) {
    PortRange read;
    if (std::sscanf(text->c_str(), "%d %d", &read.first, &read.last) == 2) {
      range = read;
    }
  }
  return range;
}

}  // namespace sglexp
