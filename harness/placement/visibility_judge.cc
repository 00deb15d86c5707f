// SPDX-License-Identifier: Apache-2.0
// Why a process sees other GPUs than planned, and what mends it.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/placement/visibility.h"

namespace sglexp {

namespace {

using Addresses = std::set<std::string>;

Addresses addresses(const std::vector<VisibleDevice>& devices) {
  Addresses out;
  for (const VisibleDevice& device : devices) {
    out.insert(device.pci);
  }
  return out;
}

bool holds_all(const std::vector<VisibleDevice>& devices, const Addresses& wanted) {
  const Addresses have = addresses(devices);
  return std::includes(have.begin(), have.end(), wanted.begin(), wanted.end());
}

std::vector<std::string> difference(const Addresses& a, const Addresses& b) {
  std::vector<std::string> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

std::string gpu_list(const std::vector<std::string>& pci) {
  return fmt::format("{} {}", pci.size() == 1 ? "GPU" : "GPUs", join(pci, ", "));
}

std::string gpu_count(std::size_t count) {
  return fmt::format("{} GPU{}", count, count == 1 ? "" : "s");
}

std::string positions(const std::vector<VisibleDevice>& devices, const Addresses& wanted) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (wanted.contains(devices[i].pci)) {
      out.push_back(std::to_string(i));
    }
  }
  return out.empty() ? "-1" : join(out, ",");  // an empty list would mean all to HIP
}

bool filters(const VisibilityLayer& layer) {
  return layer.value && !layer.value->empty();
}

// "ROCR_VISIBLE_DEVICES left", by the nearest layer above `i` that filters.
std::string who_left(const Visibility& visibility, std::size_t i) {
  for (std::size_t j = i; j-- > 1;) {
    if (visibility.layers[j].value) {
      return visibility.layers[j].name + " left";
    }
  }
  return "this process can open";
}

std::string shown(const VisibilityLayer& layer) {
  return fmt::format("{}={}", layer.name, printable(layer.value.value_or(""), 80));
}

std::string cause_in_devices(const Visibility& visibility, const Addresses& expected) {
  const std::vector<VisibleDevice>& devices = visibility.layers.front().remaining;
  if (devices.empty()) {
    return "this process can open no GPU at all: its step or container was given none";
  }
  const Addresses have = addresses(devices);
  return fmt::format("{} not among the {} that this process can open ({})",
                     gpu_list(difference(expected, have)), devices.size(),
                     join(std::vector<std::string>(have.begin(), have.end()), ", "));
}

std::string cause_in_layer(const Visibility& visibility, std::size_t i, const Addresses& expected) {
  const VisibilityLayer& layer = visibility.layers[i];
  const std::vector<VisibleDevice>& before = visibility.layers[i - 1].remaining;
  if (!filters(layer)) {
    return fmt::format("{} is set but empty, which hides every GPU", layer.name);
  }
  if (layer.note.empty()) {
    const Addresses left = addresses(layer.remaining);
    return fmt::format("{} selects {} and so hides the planned {}", shown(layer),
                       gpu_list({left.begin(), left.end()}), gpu_list(difference(expected, left)));
  }
  const std::size_t count = layer.remaining.size();
  const std::string range = before.empty() ? "" : fmt::format(" (0..{})", before.size() - 1);
  const std::string seen = count == 0
                               ? "no GPU visible"
                               : fmt::format("{} of {} visible", count, gpu_count(before.size()));
  return fmt::format("{} indexes into the {} that {}{}: {} ({})", shown(layer),
                     gpu_count(before.size()), who_left(visibility, i), range, seen, layer.note);
}

std::string find_cause(const Visibility& visibility, const VisibilityJudgement& judgement,
                       const Addresses& expected) {
  if (!holds_all(visibility.layers.front().remaining, expected)) {
    return cause_in_devices(visibility, expected);
  }
  for (std::size_t i = 1; i < visibility.layers.size(); ++i) {
    if (!holds_all(visibility.layers[i].remaining, expected)) {
      return cause_in_layer(visibility, i, expected);
    }
  }
  return fmt::format("{} visible though not planned: no variable hides {}",
                     gpu_list(judgement.extra), judgement.extra.size() == 1 ? "it" : "them");
}

// Below ROCR everything planned is there: HIP's layer alone can mend it. vLLM refuses to start
// where HIP_ and CUDA_ differ, so at most one of them stays set.
std::string remedy_after_rocr(const Visibility& visibility, const Addresses& expected) {
  const VisibilityLayer& rocr = visibility.layers[1];
  const std::string list = positions(rocr.remaining, expected);
  const bool hip = filters(visibility.layers[2]);
  const bool cuda = filters(visibility.layers[3]);
  const std::string_view keep = cuda && !hip ? kCudaVariable : kHipVariable;
  const bool unset_is_enough = addresses(rocr.remaining) == expected;
  if (unset_is_enough && hip && cuda) {
    return fmt::format("unset {0} and {1}, or unset {1} and set {0} to {2}", kHipVariable,
                       kCudaVariable, list);
  }
  if (unset_is_enough) {
    return fmt::format("unset {}, or set it to {}", keep, list);
  }
  return fmt::format("{}set {} to {}",
                     hip && cuda ? fmt::format("unset {} and ", kCudaVariable) : "", keep, list);
}

std::string find_remedy(const Visibility& visibility, const Addresses& expected) {
  const std::vector<VisibleDevice>& devices = visibility.layers.front().remaining;
  if (devices.empty()) {
    return "ask for the GPUs in the step too (srun --gpus-per-node=N): a step of an --exclusive "
           "job "
           "gets none otherwise";
  }
  if (!holds_all(devices, expected)) {
    return "take a node's GPUs from SLURM_STEP_GPUS in a step on that node, not from "
           "SLURM_JOB_GPUS, "
           "which holds the batch host's on every node";
  }
  if (holds_all(visibility.layers[1].remaining, expected)) {
    return remedy_after_rocr(visibility, expected);
  }
  std::vector<std::string> unset;
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    if (filters(visibility.layers[i])) {
      unset.push_back(visibility.layers[i].name);
    }
  }
  return fmt::format("{}set {} to {}",
                     unset.empty() ? "" : "unset " + join(unset, " and ") + " and ", kRocrVariable,
                     positions(devices, expected));
}

}  // namespace

VisibilityJudgement judge_visibility(const Visibility& visibility,
                                     const std::vector<std::string>& expected_pci) {
  const Addresses expected(expected_pci.begin(), expected_pci.end());
  const Addresses visible = addresses(visibility.visible);
  VisibilityJudgement out;
  out.missing = difference(expected, visible);
  out.extra = difference(visible, expected);
  out.ok = out.missing.empty() && out.extra.empty();
  if (!out.ok) {
    out.cause = find_cause(visibility, out, expected);
    out.remedy = find_remedy(visibility, expected);
  }
  return out;
}

}  // namespace sglexp
