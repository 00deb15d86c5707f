// SPDX-License-Identifier: Apache-2.0
#include "harness/base/digest.h"

#include <sys/random.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace sglexp {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    std::abort();  // only out of memory can bring us here; a wrong digest would corrupt the store
  }
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += fmt::format("{:02x}", digest[i]);
  }
  return out;
}

std::string make_uuid() {
  std::array<unsigned char, 16> raw{};
  if (getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) {
    std::abort();  // never happens after boot for 16 bytes (getrandom(2))
  }
  raw[6] = static_cast<unsigned char>((raw[6] & 0x0F) | 0x40);
  raw[8] = static_cast<unsigned char>((raw[8] & 0x3F) | 0x80);
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      out += '-';
    }
    out += fmt::format("{:02x}", raw[i]);
  }
  return out;
}

}  // namespace sglexp
