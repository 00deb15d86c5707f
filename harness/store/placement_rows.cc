// SPDX-License-Identifier: Apache-2.0
#include "harness/store/placement_rows.h"

#include <optional>

#include "harness/store/keys.h"

namespace sglexp {

namespace {

// In PlacementRow -1 (and port 0) mean that there is none.
std::optional<int> known(int value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

}  // namespace

Status write_placement(Database& database, std::int64_t trial_id,
                       const std::vector<PlacementRow>& rows) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(
                 database,
                 "INSERT INTO placement(trial_id, role, name, rank, node_id, gpu_index, gpu_pci, "
                 "gpu_numa, cpuset, mem_policy, port, observed_cpuset, observed_gpus, "
                 "simulated_binding) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
                 "?13, ?14)"));
  for (const PlacementRow& row : rows) {
    SGLEXP_TRY(const std::int64_t node, node_id(database, row.node));
    SGLEXP_CHECK(insert.run(trial_id, row.role, row.name, row.rank, node, known(row.gpu_index),
                            text_or_null(row.gpu_pci), known(row.gpu_numa), text_or_null(row.cpus),
                            text_or_null(row.mem_nodes), known(row.port == 0 ? -1 : row.port),
                            text_or_null(row.observed_cpus), text_or_null(row.observed_gpus),
                            row.simulated_binding));
  }
  return Ok{};
}

Result<Statement> prepare_placement_reader(Database& database) {
  return Statement::prepare(database,
                            "SELECT role, name, rank, hostname, gpu_index, gpu_pci, gpu_numa, "
                            "cpuset, mem_policy, port, observed_cpuset, observed_gpus, "
                            "simulated_binding FROM placement JOIN node ON node.id = node_id "
                            "WHERE trial_id = ?1 ORDER BY placement.rowid");
}

Status read_placement(Statement& reader, std::int64_t trial_id, std::vector<PlacementRow>& out) {
  return reader.start(trial_id).each([&] {
    out.push_back({.role = reader.text(0),
                   .name = reader.text(1),
                   .rank = reader.small(2),
                   .node = reader.text(3),
                   .gpu_index = reader.optional_small(4).value_or(-1),
                   .gpu_pci = reader.text(5),
                   .gpu_numa = reader.optional_small(6).value_or(-1),
                   .cpus = reader.text(7),
                   .mem_nodes = reader.text(8),
                   .port = reader.small(9),
                   .observed_cpus = reader.text(10),
                   .observed_gpus = reader.text(11),
                   .simulated_binding = reader.flag(12)});
  });
}

}  // namespace sglexp
