// SPDX-License-Identifier: Apache-2.0
// Which physical GPUs a process can really use: cgroup devices -> ROCR_VISIBLE_DEVICES ->
// HIP_VISIBLE_DEVICES, else CUDA_VISIBLE_DEVICES. Pure; every rule and its source stands in
// visibility.cc beside the code.
//
// ROCr: rocr-runtime core/runtime/amd_filter_device.cpp. HIP: clr rocclr/device/rocm/rocdevice.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/topology/topology.h"

namespace sglexp {

inline constexpr std::string_view kDevicesLayer = "devices";
inline constexpr std::string_view kRocrVariable = "ROCR_VISIBLE_DEVICES";
inline constexpr std::string_view kHipVariable = "HIP_VISIBLE_DEVICES";
inline constexpr std::string_view kCudaVariable = "CUDA_VISIBLE_DEVICES";
// OpenCL only: HIP reads it nowhere. Slurm may set it.
inline constexpr std::string_view kOrdinalVariable = "GPU_DEVICE_ORDINAL";

// A variable that is unset differs from one that is set to "".
struct VisibilityEnv {
  std::optional<std::string> rocr;
  std::optional<std::string> hip;
  std::optional<std::string> cuda;
};

// HIP understands UUIDs since ROCm 6.2 (clr commit 52db98edd, 2024-04).
enum class HipUuidRule { kNone, kSubstring };

// One device of the node as the runtime enumerates it (KFD order).
struct VisibleDevice {
  int index = 0;  // physical index on the node
  std::string pci;
  std::uint64_t unique_id = 0;  // 0: unknown
};

struct VisibilityLayer {
  std::string name;                      // kDevicesLayer or the variable's name
  std::optional<std::string> value;      // of the variable; unset: the layer does not filter
  std::vector<VisibleDevice> remaining;  // in the layer's order
  std::string note;  // what the runtime did not take as written, by token; empty: nothing
};

struct Visibility {
  std::vector<VisibilityLayer> layers;  // always devices, ROCR, HIP, CUDA
  std::vector<VisibleDevice> visible;   // what the process sees, in its own numbering
};

// The topology's GPUs in the order in which ROCr and HIP enumerate them.
[[nodiscard]] std::vector<VisibleDevice> runtime_devices(const Topology& topology);

// `devices`: what KFD and the device cgroup leave, in enumeration order.
[[nodiscard]] Visibility compose_visibility(std::vector<VisibleDevice> devices,
                                            const VisibilityEnv& env,
                                            HipUuidRule uuid_rule = HipUuidRule::kSubstring);

// Verdict of what a process sees against what it should see (PCI addresses; the order is free).
struct VisibilityJudgement {
  bool ok = false;
  std::vector<std::string> missing;  // planned, not visible
  std::vector<std::string> extra;    // visible, not planned
  std::string cause;   // "HIP_VISIBLE_DEVICES=4,5 indexes into the 2 GPUs that ROCR_... left ..."
  std::string remedy;  // the one change that mends it
};
[[nodiscard]] VisibilityJudgement judge_visibility(const Visibility& visibility,
                                                   const std::vector<std::string>& expected_pci);

// The one layer that node-exec sets so that the process sees exactly `wanted_pci`, in that order,
// given what is already in the environment (Slurm sets ROCR_VISIBLE_DEVICES): HIP_VISIBLE_DEVICES
// as positions in what ROCR leaves; every other variable after ROCR is unset. kInvalidInput where a
// wanted GPU is not there at all or ROCR hides it.
struct VisibilityPlan {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
};
[[nodiscard]] Result<VisibilityPlan> plan_visibility(const std::vector<VisibleDevice>& devices,
                                                     const VisibilityEnv& inherited,
                                                     const std::vector<std::string>& wanted_pci);

}  // namespace sglexp
