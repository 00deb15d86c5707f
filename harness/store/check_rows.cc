// SPDX-License-Identifier: Apache-2.0
#include "harness/store/check_rows.h"

#include "harness/store/keys.h"
#include "harness/store/statement.h"

namespace sglexp {

Status write_checks(Database& database, std::string_view run_uuid, std::string_view job_id,
                    std::span<const CheckResult> checks) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement remove,
             Statement::prepare(
                 database, "DELETE FROM check_result WHERE run_id = ?1 AND slurm_job_id = ?2"));
  SGLEXP_CHECK(remove.run(run, job_id));
  SGLEXP_TRY(Statement insert,
             Statement::prepare(
                 database,
                 "INSERT INTO check_result(run_id, slurm_job_id, seq, node_id, check_id, required, "
                 "measured, verdict, expected, observed, evidence, remedy) "
                 "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"));
  int seq = 0;
  for (const CheckResult& check : checks) {
    SGLEXP_TRY(const std::int64_t node, node_id(database, check.node));
    SGLEXP_CHECK(insert.run(run, job_id, seq++, node, check.id, check.required, check.measured,
                            check_verdict_name(check.verdict), text_or_null(check.expected),
                            text_or_null(check.observed), text_or_null(check.evidence),
                            text_or_null(check.remedy)));
  }
  return Ok{};
}

Result<std::vector<CheckResult>> select_checks(Database& database, std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement rows,
             Statement::prepare(
                 database,
                 "SELECT check_id, hostname, required, measured, verdict, expected, observed, "
                 "evidence, remedy FROM check_result JOIN node ON node.id = node_id WHERE "
                 "run_id = ?1 ORDER BY check_result.rowid"));
  std::vector<CheckResult> out;
  SGLEXP_CHECK(rows.start(run).each([&] {
    out.push_back({.id = rows.text(0),
                   .node = rows.text(1),
                   .required = rows.flag(2),
                   .measured = rows.flag(3),
                   // A word that is not known here counts as a failure, never as a pass.
                   .verdict = parse_check_verdict(rows.text(4)).value_or(CheckVerdict::kFail),
                   .expected = rows.text(5),
                   .observed = rows.text(6),
                   .evidence = rows.text(7),
                   .remedy = rows.text(8)});
  }));
  return out;
}

}  // namespace sglexp
