// SPDX-License-Identifier: Apache-2.0
#include "harness/store/run_rows.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "harness/record/json.h"
#include "harness/store/keys.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

constexpr std::string_view kRunColumns =
    "uuid, token, scenario, cluster, kind, status, started_utc, ended_utc, run_dir, spec_json, "
    "spec_hash, seed, tool_version, simulated, simulated_why, outcome, failure_json, id";

std::optional<std::string> failure_text(const std::optional<Failure>& failure) {
  return failure ? std::optional(failure_to_json(*failure)) : std::nullopt;
}

std::optional<std::string_view> outcome_text(const std::optional<Outcome>& outcome) {
  return outcome ? std::optional(outcome_name(*outcome)) : std::nullopt;
}

Result<RunInfo> read_run(const Statement& row) {
  RunInfo run{.uuid = row.text(0),
              .token = row.text(1),
              .scenario = row.text(2),
              .cluster = row.text(3),
              .kind = row.text(4),
              .status = row.text(5),
              .started_utc = row.text(6),
              .ended_utc = row.text(7),
              .run_dir = row.text(8),
              .spec_json = row.text(9),
              .spec_hash = row.text(10),
              .tool_version = row.text(12),
              .simulated = row.flag(13),
              .simulated_why = row.text(14)};
  const std::string seed = row.text(11);
  std::from_chars(seed.data(), seed.data() + seed.size(), run.seed);
  if (!row.is_null(15)) {
    run.outcome = parse_outcome(row.text(15));
  }
  if (!row.is_null(16)) {
    SGLEXP_TRY(run.failure, parse_failure(row.text(16)));
  }
  return run;
}

Status write_arms(Database& database, std::int64_t run, const std::vector<ArmInfo>& arms) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO arm(run_id, name, factors_json, compare_key, is_base) "
                                "VALUES(?1, ?2, ?3, ?4, ?5)"));
  for (const ArmInfo& arm : arms) {
    SGLEXP_CHECK(
        insert.run(run, arm.name, text_or_null(arm.factors_json), arm.compare_key, arm.is_base));
  }
  return Ok{};
}

Status write_metrics(Database& database, std::int64_t run,
                     const std::vector<MetricDefinition>& metrics) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO run_metric(run_id, name, margin_rel, gate) "
                                "VALUES(?1, ?2, ?3, ?4)"));
  for (const MetricDefinition& metric : metrics) {
    SGLEXP_CHECK(define_metric(database, metric.name, metric.unit, metric.direction, metric.kind));
    SGLEXP_CHECK(insert.run(run, metric.name, metric.margin_rel, metric.gate));
  }
  return Ok{};
}

Status read_parts(Database& database, std::int64_t id, RunInfo& run) {
  SGLEXP_TRY(Statement arms, Statement::prepare(database,
                                                "SELECT name, is_base, factors_json, compare_key "
                                                "FROM arm WHERE run_id = ?1 ORDER BY id"));
  SGLEXP_CHECK(arms.start(id).each([&] {
    run.arms.push_back({arms.text(0), arms.flag(1), arms.text(2), arms.text(3)});
  }));
  SGLEXP_TRY(Statement metrics,
             Statement::prepare(database,
                                "SELECT name, unit, direction, kind, margin_rel, gate FROM "
                                "run_metric JOIN metric_def USING(name) WHERE run_id = ?1 "
                                "ORDER BY run_metric.rowid"));
  SGLEXP_CHECK(metrics.start(id).each([&] {
    run.metrics.push_back({metrics.text(0), metrics.text(1), metrics.text(2), metrics.text(3),
                           metrics.optional_real(4), metrics.flag(5)});
  }));
  SGLEXP_TRY(const std::vector<RunJob> jobs, select_jobs(database, run.uuid));
  for (const RunJob& job : jobs) {
    run.job_ids.push_back(job.slurm_job_id);
  }
  return Ok{};
}

}  // namespace

Status insert_run(Database& database, const RunInfo& run) {
  SGLEXP_TRY(Statement same,
             Statement::prepare(database, "SELECT spec_hash FROM run WHERE uuid = ?1"));
  SGLEXP_TRY(const bool known, same.start(run.uuid).next());
  if (known) {
    return same.text(0) == run.spec_hash
               ? Status(Ok{})
               : Error{ErrorCode::kInvalidInput,
                       "this run is stored with another specification: a changed scenario or "
                       "profile needs a run of its own"};
  }
  SGLEXP_TRY(Statement insert,
             Statement::prepare(
                 database,
                 "INSERT INTO run(uuid, token, scenario, cluster, kind, status, started_utc, "
                 "ended_utc, run_dir, spec_json, spec_hash, seed, tool_version, simulated, "
                 "simulated_why, outcome, failure_json) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                 "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"));
  SGLEXP_CHECK(insert.run(run.uuid, run.token, run.scenario, run.cluster, run.kind, run.status,
                          run.started_utc, text_or_null(run.ended_utc), run.run_dir,
                          text_or_null(run.spec_json), run.spec_hash, std::to_string(run.seed),
                          run.tool_version, run.simulated, text_or_null(run.simulated_why),
                          outcome_text(run.outcome), failure_text(run.failure)));
  SGLEXP_TRY(const std::int64_t id, run_id(database, run.uuid));
  SGLEXP_CHECK(write_arms(database, id, run.arms));
  return write_metrics(database, id, run.metrics);
}

Status update_run(Database& database, const RunInfo& run) {
  SGLEXP_TRY(const std::int64_t id, run_id(database, run.uuid));
  SGLEXP_TRY(Statement update,
             Statement::prepare(database,
                                "UPDATE run SET status = ?2, ended_utc = ?3, outcome = ?4, "
                                "failure_json = ?5, simulated = ?6, simulated_why = ?7, "
                                "run_dir = ?8 WHERE id = ?1"));
  return update.run(id, run.status, text_or_null(run.ended_utc), outcome_text(run.outcome),
                    failure_text(run.failure), run.simulated, text_or_null(run.simulated_why),
                    run.run_dir);
}

Status write_jobs(Database& database, std::string_view run_uuid, std::span<const RunJob> jobs) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement upsert,
             Statement::prepare(database,
                                "INSERT INTO job(run_id, slurm_job_id, name, state) "
                                "VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET "
                                "name = excluded.name, state = excluded.state"));
  for (const RunJob& job : jobs) {
    SGLEXP_CHECK(upsert.run(run, job.slurm_job_id, job.name, job.state));
  }
  return Ok{};
}

Result<std::vector<RunSummary>> select_runs(Database& database, const RunFilter& filter) {
  SGLEXP_TRY(
      Statement rows,
      Statement::prepare(
          database,
          fmt::format("SELECT {}, (SELECT count(*) FROM trial JOIN arm ON arm.id = arm_id "
                      "WHERE run_id = run.id), (SELECT count(*) FROM trial JOIN arm ON "
                      "arm.id = arm_id WHERE run_id = run.id AND trial.status = 'ok') FROM run "
                      "WHERE (?1 = 0 OR status = 'running') AND (?2 IS NULL OR scenario = ?2) "
                      "ORDER BY started_utc DESC, id DESC LIMIT ?3",
                      kRunColumns)));
  // A negative LIMIT is none.
  rows.start(filter.active_only, text_or_null(filter.scenario),
             filter.limit > 0 ? filter.limit : -1);
  std::vector<RunSummary> out;
  const auto read = [&]() -> Status {
    SGLEXP_TRY(RunInfo run, read_run(rows));
    SGLEXP_CHECK(read_parts(database, rows.integer(17), run));
    out.push_back({std::move(run), rows.small(18), rows.small(19)});
    return Ok{};
  };
  SGLEXP_CHECK(rows.each(read));
  return out;
}

Result<RunInfo> select_run(Database& database, std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t id, run_id(database, run_uuid));
  SGLEXP_TRY(
      Statement row,
      Statement::prepare(database, fmt::format("SELECT {} FROM run WHERE id = ?1", kRunColumns)));
  SGLEXP_TRY([[maybe_unused]] const bool found, row.start(id).next());
  SGLEXP_TRY(RunInfo run, read_run(row));
  SGLEXP_CHECK(read_parts(database, id, run));
  return run;
}

Result<std::vector<RunJob>> select_jobs(Database& database, std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement rows,
             Statement::prepare(database,
                                "SELECT slurm_job_id, name, state FROM job WHERE run_id = ?1 "
                                "ORDER BY rowid"));
  std::vector<RunJob> out;
  SGLEXP_CHECK(rows.start(run).each([&] {
    out.push_back({rows.text(0), rows.text(1), rows.text(2)});
  }));
  return out;
}

}  // namespace sglexp
