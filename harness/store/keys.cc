// SPDX-License-Identifier: Apache-2.0
#include "harness/store/keys.h"

#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

constexpr std::size_t kShortestPrefix = 4;

}  // namespace

Result<std::int64_t> run_id(Database& database, std::string_view run_uuid) {
  SGLEXP_TRY(Statement row, Statement::prepare(database, "SELECT id FROM run WHERE uuid = ?1"));
  SGLEXP_TRY(const bool found, row.start(run_uuid).next());
  if (!found) {
    return Error{ErrorCode::kNotFound, fmt::format("no run with id {} is stored in {}",
                                                   printable(run_uuid, 60), database.path())};
  }
  return row.integer(0);
}

Result<std::int64_t> node_id(Database& database, std::string_view hostname) {
  SGLEXP_TRY(
      Statement insert,
      Statement::prepare(database, "INSERT INTO node(hostname) VALUES(?1) ON CONFLICT DO NOTHING"));
  SGLEXP_CHECK(insert.run(hostname));
  SGLEXP_TRY(Statement row,
             Statement::prepare(database, "SELECT id FROM node WHERE hostname = ?1"));
  SGLEXP_TRY([[maybe_unused]] const bool found, row.start(hostname).next());
  return row.integer(0);
}

Status define_metric(Database& database, std::string_view name, std::string_view unit,
                     std::string_view direction, std::string_view kind) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO metric_def(name, unit, direction, kind) "
                                "VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING"));
  SGLEXP_CHECK(insert.run(name, unit, direction, kind));
  SGLEXP_TRY(
      Statement row,
      Statement::prepare(database, "SELECT unit, direction FROM metric_def WHERE name = ?1"));
  SGLEXP_TRY([[maybe_unused]] const bool found, row.start(name).next());
  if (row.text(0) == unit && row.text(1) == direction) {
    return Ok{};
  }
  return Error{
      ErrorCode::kInvalidInput,
      fmt::format("metric {} is stored in {} ({} is better) and now comes in {} ({} is "
                  "better): a changed metric needs a new name",
                  printable(name, 60), row.text(0), row.text(1), printable(unit, 20), direction)};
}

Result<std::string> resolve_run(Database& database, std::string_view text) {
  if (text == "latest") {
    SGLEXP_TRY(std::string uuid,
               database.text("SELECT uuid FROM run ORDER BY started_utc DESC, id DESC LIMIT 1"));
    return uuid.empty() ? Result<std::string>(Error{ErrorCode::kNotFound, "no run is stored yet"})
                        : uuid;
  }
  if (text.size() < kShortestPrefix) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("'{}' is too short for a run: write at least {} characters of its id, "
                             "or 'latest'",
                             printable(text), kShortestPrefix)};
  }
  // substr, not LIKE: % and _ in the text mean themselves.
  SGLEXP_TRY(Statement rows, Statement::prepare(database,
                                                "SELECT uuid FROM run WHERE substr(uuid, 1, "
                                                "length(?1)) = ?1 ORDER BY started_utc DESC, "
                                                "id DESC LIMIT 6"));
  std::vector<std::string> found;
  SGLEXP_CHECK(rows.start(text).each([&] { found.push_back(rows.text(0)); }));
  if (found.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("no run '{}': `sglexp runs` lists them", printable(text, 60))};
  }
  if (found.size() > 1) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("'{}' fits several runs: {}; write more of the id",
                             printable(text, 60), join(found, ", "))};
  }
  return found.front();
}

}  // namespace sglexp
