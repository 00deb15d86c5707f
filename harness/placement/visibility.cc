// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/visibility.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {

namespace {

// What one runtime makes of its list.
class ListReader {
 public:
  explicit ListReader(const std::vector<VisibleDevice>& devices) : devices_(devices) {}

  [[nodiscard]] bool seen(std::size_t device) const {
    return std::find(taken_.begin(), taken_.end(), device) != taken_.end();
  }
  void take(std::size_t device) { taken_.push_back(device); }
  void note(std::size_t token, const std::string& text, std::string_view what) {
    note_ += fmt::format("{}token {} '{}' {}", note_.empty() ? "" : "; ", token + 1,
                         printable(text, 40), what);
  }
  [[nodiscard]] std::string outside() const {
    return devices_.empty()
               ? "names a GPU where there is none; the rest is dropped"
               : fmt::format("is outside 0..{}; it and the rest are dropped", devices_.size() - 1);
  }
  [[nodiscard]] VisibilityLayer layer(std::string_view name, const std::string& value) const {
    VisibilityLayer out{std::string(name), value, {}, note_};
    for (const std::size_t device : taken_) {
      out.remaining.push_back(devices_[device]);
    }
    return out;
  }

 private:
  const std::vector<VisibleDevice>& devices_;
  std::vector<std::size_t> taken_;
  std::string note_;
};

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// ROCr's name of a device: 16 digits with leading zeros. HIP asks ROCr, which says GPU-XX for a
// device without an id.
std::string uuid_of(const VisibleDevice& device) {
  return device.unique_id == 0 ? "GPU-XX" : fmt::format("GPU-{:016x}", device.unique_id);
}

// ROCr: 5 to 20 characters that begin the UUID of exactly one device, in either case.
std::optional<std::size_t> rocr_uuid(const std::vector<VisibleDevice>& devices,
                                     const std::string& token) {
  constexpr std::size_t kShortest = 5;
  constexpr std::size_t kLongest = 20;
  if (token.size() < kShortest || token.size() > kLongest) {
    return std::nullopt;
  }
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].unique_id != 0 && upper(uuid_of(devices[i])).starts_with(token)) {
      if (found) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

// ROCr reads numbers with strtol(base 0), so that 0x1 and 010 are numbers, into 32 bits.
std::optional<std::size_t> rocr_number(const std::vector<VisibleDevice>& devices,
                                       const std::string& token) {
  char* end = nullptr;
  const auto number = static_cast<std::int32_t>(std::strtol(token.c_str(), &end, 0));
  if (*end != '\0' || number < 0 || static_cast<std::size_t>(number) >= devices.size()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(number);
}

// ROCr: set but empty hides everything; tokens are trimmed; it reads no more tokens than there are
// GPUs; the first that is wrong or repeated ends the list.
VisibilityLayer apply_rocr(const std::vector<VisibleDevice>& devices, const std::string& value) {
  if (value.empty()) {
    return {std::string(kRocrVariable), value, {}, "set but empty: ROCr shows no GPU"};
  }
  std::vector<std::string> tokens = split(value, ',');
  if (tokens.back().empty()) {
    tokens.pop_back();  // getline() sees no token after a last comma
  }
  ListReader reader(devices);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string token = upper(trim(tokens[i]));
    if (i >= devices.size()) {
      reader.note(i, tokens[i], fmt::format("is not read: there are {} GPUs", devices.size()));
      break;
    }
    if (token.empty()) {
      // ROCr takes its first character with at(), which throws: nothing initialises.
      VisibilityLayer layer{std::string(kRocrVariable), value, {}, ""};
      layer.note = fmt::format("token {} is empty: ROCr fails to start, so there is no GPU", i + 1);
      return layer;
    }
    const bool is_uuid = token.front() == 'G';
    const auto device = is_uuid ? rocr_uuid(devices, token) : rocr_number(devices, token);
    if (!device) {
      reader.note(i, tokens[i],
                  is_uuid ? "begins the UUID of no GPU or of several; it and the rest are dropped"
                          : reader.outside());
      break;
    }
    if (reader.seen(*device)) {
      reader.note(i, tokens[i], "is repeated, which ends ROCr's list");
      break;
    }
    reader.take(*device);
  }
  return reader.layer(kRocrVariable, value);
}

// HIP: a number must be written as it would be printed (no blanks, signs or leading zeros). A UUID
// is any part of a device's name that holds "GPU-", case sensitive, and the first device wins.
std::optional<std::size_t> hip_device(const std::vector<VisibleDevice>& devices,
                                      const std::string& token, HipUuidRule uuid_rule) {
  const bool is_uuid =
      uuid_rule == HipUuidRule::kSubstring && token.find("GPU-") != std::string::npos;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (is_uuid ? uuid_of(devices[i]).find(token) != std::string::npos
                : token == std::to_string(i)) {
      return i;
    }
  }
  return std::nullopt;
}

std::string hip_complaint(const ListReader& reader, const std::string& token) {
  const std::string_view bare = trim(token);
  const bool digits =
      !bare.empty() && bare.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits && bare != "-1") {
    return "is no GPU number or UUID that HIP knows; it and the rest are dropped";
  }
  if (digits && (bare != token || (bare.size() > 1 && bare.front() == '0'))) {
    return "is not a plain number (no blanks, no leading zeros); it and the rest are dropped";
  }
  return reader.outside();
}

// HIP: the first wrong token ends the list; a repeated one is skipped. -1 is such a wrong token.
VisibilityLayer apply_hip(std::string_view name, const std::vector<VisibleDevice>& devices,
                          const std::string& value, HipUuidRule uuid_rule) {
  std::vector<std::string> tokens = split(value, ',');
  if (tokens.size() > 1 && tokens.back().empty()) {
    tokens.pop_back();  // its loop ends at the end of the text, before a token after a last comma
  }
  ListReader reader(devices);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto device = hip_device(devices, tokens[i], uuid_rule);
    if (!device) {
      reader.note(i, tokens[i], hip_complaint(reader, tokens[i]));
      break;
    }
    if (reader.seen(*device)) {
      reader.note(i, tokens[i], "is repeated and skipped");
      continue;
    }
    reader.take(*device);
  }
  return reader.layer(name, value);
}

}  // namespace

std::vector<VisibleDevice> runtime_devices(const Topology& topology) {
  std::vector<Gpu> gpus = topology.gpus;
  if (std::none_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.kfd_node < 0; })) {
    std::stable_sort(gpus.begin(), gpus.end(),
                     [](const Gpu& a, const Gpu& b) { return a.kfd_node < b.kfd_node; });
  }
  std::vector<VisibleDevice> devices;
  for (const Gpu& gpu : gpus) {
    devices.push_back({gpu.index, gpu.pci, gpu.unique_id});
  }
  return devices;
}

Visibility compose_visibility(std::vector<VisibleDevice> devices, const VisibilityEnv& env,
                              HipUuidRule uuid_rule) {
  Visibility out;
  out.layers.push_back({std::string(kDevicesLayer), std::nullopt, std::move(devices), ""});
  const auto pass = [&](std::string_view name, const std::optional<std::string>& value,
                        const char* note) {
    out.layers.push_back({std::string(name), value, out.layers.back().remaining, note});
  };
  if (env.rocr) {
    out.layers.push_back(apply_rocr(out.layers.back().remaining, *env.rocr));
  } else {
    pass(kRocrVariable, env.rocr, "");
  }
  // HIP reads one of the two: HIP_VISIBLE_DEVICES unless it is unset or empty.
  const bool hip_holds = env.hip && !env.hip->empty();
  for (const bool is_hip : {true, false}) {
    const std::string_view name = is_hip ? kHipVariable : kCudaVariable;
    const std::optional<std::string>& value = is_hip ? env.hip : env.cuda;
    if (!value || value->empty()) {
      pass(name, value, value ? "set but empty: as if it were unset" : "");
    } else if (!is_hip && hip_holds) {
      pass(name, value, "ignored: HIP_VISIBLE_DEVICES is set");
    } else {
      out.layers.push_back(apply_hip(name, out.layers.back().remaining, *value, uuid_rule));
    }
  }
  out.visible = out.layers.back().remaining;
  return out;
}

}  // namespace sglexp
