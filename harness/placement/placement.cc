// SPDX-License-Identifier: Apache-2.0
#include "harness/placement/placement.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/placement/cpu_share.h"
#include "harness/placement/gpu_choice.h"
#include "harness/placement/port_plan.h"

namespace sglexp {

namespace {

struct ServicePlace {
  std::string name;
  const PlacementNode* node = nullptr;
};

Result<const PlacementNode*> find_node(const PlacementRequest& request, const std::string& name,
                                       const std::string& service) {
  if (name.empty()) {
    return &request.nodes.front();
  }
  std::vector<std::string> names;
  for (const PlacementNode& node : request.nodes) {
    if (node.name == name) {
      return &node;
    }
    names.push_back(node.name);
  }
  return Error{ErrorCode::kInvalidInput,
               fmt::format("{}.node '{}' is not a node of the job: it has {}", service,
                           printable(name, 80), join(names, ", "))};
}

Result<std::vector<ServicePlace>> place_services(const PlacementRequest& request) {
  std::vector<ServicePlace> services;
  if (request.scenario.router.enabled) {
    SGLEXP_TRY(const PlacementNode* const node,
               find_node(request, request.scenario.router.node, "router"));
    services.push_back({"router", node});
  }
  SGLEXP_TRY(const PlacementNode* const node,
             find_node(request, request.scenario.load.node, "load"));
  services.push_back({"load", node});
  return services;
}

// Seen to work on Slurm 22.05 and 24.11; none of it is a guarantee, so the result is verified.
std::string advice(const PlacementRequest& request) {
  const EngineSpec& engine = request.arm.engine;
  const int gpus = engine.tp * engine.workers_per_node;
  std::size_t whole = 0;
  for (const PlacementNode& node : request.nodes) {
    whole = std::max(whole, node.topology.gpus.size());
  }
  const std::string words =
      request.arm.placement.policy == PlacementPolicy::kCrossNuma
          ? fmt::format("--sockets-per-node=2 --gpus-per-socket={}", (gpus + 1) / 2)
          : fmt::format("--gpus-per-node={}", gpus);
  return fmt::format(
      "Ask Slurm for whole nodes and choose there (--exclusive --gpus-per-node={}, placement.by: "
      "select), or let Slurm choose (--ntasks-per-node=1 -c 32 {}, placement.by: request)",
      whole, words);
}

class Placer {
 public:
  Placer(const PlacementRequest& request, PortPlan ports)
      : request_(request), ports_(std::move(ports)) {}

  Result<Placement> run(const std::vector<std::vector<std::vector<Gpu>>>& gpus,
                        const std::vector<ServicePlace>& services) {
    for (std::size_t i = 0; i < request_.nodes.size(); ++i) {
      SGLEXP_CHECK(place_node(request_.nodes[i], gpus[i], services));
    }
    // In the order of the services, not of their nodes.
    std::stable_sort(out_.services.begin(), out_.services.end(),
                     [](const ServiceSpec& a, const ServiceSpec& b) {
                       return a.name == "router" && b.name != "router";
                     });
    return std::move(out_);
  }

 private:
  Status place_node(const PlacementNode& node, const std::vector<std::vector<Gpu>>& gpus,
                    const std::vector<ServicePlace>& services) {
    CpuDemand demand{
        gpus, request_.arm.placement.cpus_per_worker, {}, request_.arm.placement.service_cpus};
    for (const ServicePlace& service : services) {
      if (service.node == &node) {
        demand.services.push_back(service.name);
      }
    }
    auto shares = share_cpus(node, demand);
    if (!shares.ok()) {
      return with_context(shares.error(), fmt::format("arm '{}' has too few CPUs on {}",
                                                      request_.arm.name, node.name));
    }
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      add_worker(node, gpus[i], std::move(shares->workers[i]));
    }
    for (std::size_t i = 0; i < demand.services.size(); ++i) {
      add_service(node, demand.services[i], std::move(shares->services[i]));
    }
    return Ok{};
  }

  void add_worker(const PlacementNode& node, const std::vector<Gpu>& gpus, std::vector<int> cpus) {
    WorkerSpec worker;
    worker.name = fmt::format("w{}", out_.workers.size());
    worker.node = node.name;
    worker.address = node.address;
    worker.port = ports_.next_worker(node.address);
    worker.gpus = gpus;
    worker.cpus = std::move(cpus);
    std::set<int> numa;
    for (const Gpu& gpu : gpus) {
      if (gpu.numa >= 0) {
        numa.insert(gpu.numa);
      }
    }
    worker.mem_nodes.assign(numa.begin(), numa.end());
    worker.bind = !node.topology.simulated;
    out_.workers.push_back(std::move(worker));
  }

  void add_service(const PlacementNode& node, const std::string& name, std::vector<int> cpus) {
    ServiceSpec service;
    service.name = name;
    service.node = node.name;
    service.address = node.address;
    if (name == "router") {
      service.port = ports_.next_service(node.address);
      service.metrics_port = ports_.next_service(node.address);
    }
    service.cpus = std::move(cpus);
    service.bind = !node.topology.simulated;
    out_.services.push_back(std::move(service));
  }

  const PlacementRequest& request_;
  PortPlan ports_;
  Placement out_;
};

// Every node's trouble at once: the user asks Slurm again once, not once a node.
Result<std::vector<std::vector<std::vector<Gpu>>>> choose_all_gpus(
    const PlacementRequest& request) {
  std::vector<std::vector<std::vector<Gpu>>> chosen;
  std::string troubles;
  for (const PlacementNode& node : request.nodes) {
    auto gpus = choose_gpus(node, request.arm);
    if (gpus.ok()) {
      chosen.push_back(std::move(gpus).value());
    } else {
      troubles += fmt::format("  {}: {}\n", node.name, gpus.error().message);
    }
  }
  if (!troubles.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("arm '{}' cannot be placed on the GPUs that the job holds:\n{}{}",
                             request.arm.name, troubles, advice(request))};
  }
  return chosen;
}

}  // namespace

const ServiceSpec* Placement::service(std::string_view name) const {
  const auto found = std::find_if(services.begin(), services.end(),
                                  [&](const ServiceSpec& service) { return service.name == name; });
  return found == services.end() ? nullptr : &*found;
}

Result<Placement> place(const PlacementRequest& request) {
  if (request.nodes.empty()) {
    return Error{ErrorCode::kInvalidInput, "no node to place on"};
  }
  SGLEXP_TRY(const std::vector<ServicePlace> services, place_services(request));
  SGLEXP_TRY(const auto gpus, choose_all_gpus(request));
  std::vector<std::string> addresses;
  for (const PlacementNode& node : request.nodes) {
    addresses.insert(addresses.end(), static_cast<std::size_t>(request.arm.engine.workers_per_node),
                     node.address);
  }
  SGLEXP_TRY(PortPlan ports,
             PortPlan::make(request.port_base, request.port_count, request.port_salt, addresses));
  return Placer(request, std::move(ports)).run(gpus, services);
}

}  // namespace sglexp
