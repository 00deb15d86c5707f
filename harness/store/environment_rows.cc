// SPDX-License-Identifier: Apache-2.0
#include "harness/store/environment_rows.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/digest.h"
#include "harness/base/text.h"
#include "harness/store/keys.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

// Hash of the document, which is stored if it is new. Members are sorted and blanks dropped first,
// so that equal content has one hash however it was written.
Result<std::string> intern(Database& database, std::string_view scope, std::string_view text) {
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_discarded()) {
    return Error{ErrorCode::kInvalidInput, fmt::format("environment document '{}' is not JSON: {}",
                                                       printable(scope, 40), printable(text, 80))};
  }
  const std::string canonical =
      parsed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string hash = sha256_hex(canonical);
  SGLEXP_TRY(Statement insert, Statement::prepare(database,
                                                  "INSERT INTO env_blob(hash, json) VALUES(?1, ?2) "
                                                  "ON CONFLICT DO NOTHING"));
  SGLEXP_CHECK(insert.run(hash, canonical));
  return hash;
}

}  // namespace

Status write_environment(Database& database, std::string_view run_uuid,
                         const EnvironmentFact& fact) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(const std::int64_t node, node_id(database, fact.node));
  SGLEXP_TRY(const std::string hash, intern(database, fact.scope, fact.json));
  SGLEXP_TRY(Statement upsert,
             Statement::prepare(database,
                                "INSERT INTO run_env(run_id, slurm_job_id, node_id, scope, hash) "
                                "VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET "
                                "hash = excluded.hash"));
  return upsert.run(run, fact.job_id, node, fact.scope, hash);
}

Status write_trial_fact(Database& database, std::int64_t trial_id, std::string_view scope,
                        std::string_view json) {
  SGLEXP_TRY(const std::string hash, intern(database, scope, json));
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO env_fact(trial_id, node_id, scope, hash) "
                                "VALUES(?1, 0, ?2, ?3)"));
  return insert.run(trial_id, scope, hash);
}

Result<std::vector<EnvironmentFact>> select_environment(Database& database,
                                                        std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement rows,
             Statement::prepare(database,
                                "SELECT slurm_job_id, hostname, scope, json FROM run_env JOIN "
                                "env_blob USING(hash) JOIN node ON node.id = node_id WHERE "
                                "run_id = ?1 ORDER BY slurm_job_id, hostname, scope"));
  std::vector<EnvironmentFact> out;
  SGLEXP_CHECK(rows.start(run).each([&] {
    out.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
  }));
  return out;
}

}  // namespace sglexp
