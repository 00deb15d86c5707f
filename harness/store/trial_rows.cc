// SPDX-License-Identifier: Apache-2.0
#include "harness/store/trial_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/record/json.h"
#include "harness/store/environment_rows.h"
#include "harness/store/keys.h"
#include "harness/store/placement_rows.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

constexpr double kMostSeconds = 9e12;  // their microseconds fit in 64 bits

constexpr double kUsPerSecond = 1e6;
constexpr std::string_view kServerInfoScope = "server_info";

std::optional<std::int64_t> microseconds(double seconds) {
  return std::abs(seconds) < kMostSeconds ? std::optional(std::llround(seconds * kUsPerSecond))
                                          : std::nullopt;
}

Status check_discard_reason(const TrialRecord& trial) {
  const bool listed = std::find(std::begin(kDiscardReasons), std::end(kDiscardReasons),
                                trial.discard_reason) != std::end(kDiscardReasons);
  if (listed == (trial.status == TrialStatus::kDiscarded) &&
      (listed || trial.discard_reason.empty())) {
    return Ok{};
  }
  return Error{ErrorCode::kInvalidInput,
               fmt::format("status {} with discard reason '{}': a discarded trial, and no other, "
                           "needs one of the listed reasons",
                           trial_status_name(trial.status), printable(trial.discard_reason, 60))};
}

Result<std::int64_t> arm_id(Database& database, std::string_view run_uuid,
                            const std::string& name) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement row,
             Statement::prepare(database, "SELECT id FROM arm WHERE run_id = ?1 AND name = ?2"));
  SGLEXP_TRY(const bool found, row.start(run, name).next());
  if (!found) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("the run has no arm '{}'", printable(name, 60))};
  }
  return row.integer(0);
}

Result<std::int64_t> upsert_trial(Database& database, std::int64_t arm, const TrialRecord& trial) {
  SGLEXP_TRY(
      Statement upsert,
      Statement::prepare(
          database,
          "INSERT INTO trial(arm_id, block, slot, load_point, attempt, slurm_job_id, started_utc, "
          "warmup_us, measured_us, status, discard_reason, outcome, failure_json, output_digest, "
          "requests_file) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) "
          "ON CONFLICT(arm_id, block, slot, load_point, attempt) DO UPDATE SET "
          "slurm_job_id = excluded.slurm_job_id, started_utc = excluded.started_utc, "
          "warmup_us = excluded.warmup_us, measured_us = excluded.measured_us, "
          "status = excluded.status, discard_reason = excluded.discard_reason, "
          "outcome = excluded.outcome, failure_json = excluded.failure_json, "
          "output_digest = excluded.output_digest, requests_file = excluded.requests_file "
          "RETURNING id"));
  const std::optional<std::string> failure =
      trial.failure ? std::optional(failure_to_json(*trial.failure)) : std::nullopt;
  upsert.start(arm, trial.key.block, trial.key.slot, trial.key.load_point, trial.key.attempt,
               text_or_null(trial.job_id), text_or_null(trial.started_utc),
               microseconds(trial.warmup_s), microseconds(trial.measured_s),
               trial_status_name(trial.status), text_or_null(trial.discard_reason),
               outcome_name(trial.outcome), failure, text_or_null(trial.output_digest),
               text_or_null(trial.requests_file));
  SGLEXP_TRY([[maybe_unused]] const bool row, upsert.next());
  return upsert.integer(0);
}

// Children of an earlier version of the trial; none remain of a new one.
Status clear_parts(Database& database, std::int64_t trial_id) {
  for (const char* const sql :
       {"DELETE FROM metric WHERE trial_id = ?1", "DELETE FROM hist WHERE trial_id = ?1",
        "DELETE FROM placement WHERE trial_id = ?1", "DELETE FROM env_fact WHERE trial_id = ?1",
        "DELETE FROM request WHERE trial_id = ?1"}) {
    SGLEXP_TRY(Statement remove, Statement::prepare(database, sql));
    SGLEXP_CHECK(remove.run(trial_id));
  }
  return Ok{};
}

// Why the value is NULL. A number that is not finite is no measurement, whatever made it.
std::string missing_reason(const MetricValue& metric) {
  if (metric.value) {
    return fmt::format("not a finite number ({}){}{}", *metric.value,
                       metric.reason.empty() ? "" : ": ", metric.reason);
  }
  return metric.reason.empty() ? "not measured" : metric.reason;
}

Status write_metric_values(Database& database, std::int64_t trial_id,
                           const std::vector<MetricValue>& metrics) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO metric(trial_id, name, value, n, reason) "
                                "VALUES(?1, ?2, ?3, ?4, ?5)"));
  for (const MetricValue& metric : metrics) {
    SGLEXP_CHECK(define_metric(database, metric.name, metric.unit, direction_name(metric.direction),
                               "level"));
    const bool finite = metric.value && std::isfinite(*metric.value);
    const std::string reason = finite ? metric.reason : missing_reason(metric);
    SGLEXP_CHECK(insert.run(trial_id, metric.name, metric.value, metric.n, text_or_null(reason)));
  }
  return Ok{};
}

Status write_histograms(Database& database, std::int64_t trial_id,
                        const std::vector<HistogramBlob>& histograms) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO hist(trial_id, name, codec, total, blob) "
                                "VALUES(?1, ?2, ?3, ?4, ?5)"));
  for (const HistogramBlob& histogram : histograms) {
    SGLEXP_CHECK(insert.run(trial_id, histogram.name, histogram.codec, histogram.total,
                            Blob{histogram.bytes}));
  }
  return Ok{};
}

Result<TrialRecord> read_trial(const Statement& row) {
  TrialRecord trial{.key = {.arm = row.text(1),
                            .block = row.small(2),
                            .slot = row.small(3),
                            .load_point = row.text(4),
                            .attempt = row.small(5)},
                    .job_id = row.text(6),
                    .started_utc = row.text(7),
                    .warmup_s = static_cast<double>(row.integer(8)) / kUsPerSecond,
                    .measured_s = static_cast<double>(row.integer(9)) / kUsPerSecond,
                    .discard_reason = row.text(11),
                    .output_digest = row.text(14),
                    .requests_file = row.text(15)};
  const std::optional<TrialStatus> status = parse_trial_status(row.text(10));
  const std::optional<Outcome> outcome = parse_outcome(row.text(12));
  if (!status || !outcome) {
    return Error{ErrorCode::kInvalidInput, "a stored trial has an unknown status or outcome"};
  }
  trial.status = *status;
  trial.outcome = *outcome;
  if (!row.is_null(13)) {
    SGLEXP_TRY(trial.failure, parse_failure(row.text(13)));
  }
  return trial;
}

// Prepared once for all trials of a run.
struct PartReaders {
  Statement metrics;
  Statement histograms;
  Statement placement;
  Statement server_info;
};

Result<PartReaders> prepare_parts(Database& database) {
  SGLEXP_TRY(
      Statement metrics,
      Statement::prepare(database,
                         "SELECT name, unit, direction, value, n, reason FROM metric JOIN "
                         "metric_def USING(name) WHERE trial_id = ?1 ORDER BY metric.rowid"));
  SGLEXP_TRY(Statement histograms,
             Statement::prepare(database,
                                "SELECT name, codec, total, blob FROM hist WHERE trial_id = ?1 "
                                "ORDER BY rowid"));
  SGLEXP_TRY(Statement placement, prepare_placement_reader(database));
  SGLEXP_TRY(Statement server_info,
             Statement::prepare(database,
                                "SELECT json FROM env_fact JOIN env_blob USING(hash) WHERE "
                                "trial_id = ?1 AND node_id = 0 AND scope = ?2"));
  return PartReaders{std::move(metrics), std::move(histograms), std::move(placement),
                     std::move(server_info)};
}

Status read_parts(PartReaders& readers, std::int64_t trial_id, TrialRecord& trial) {
  Statement& metrics = readers.metrics;
  SGLEXP_CHECK(metrics.start(trial_id).each([&] {
    trial.metrics.push_back({metrics.text(0), metrics.text(1),
                             parse_direction(metrics.text(2)).value_or(Direction::kNone),
                             metrics.optional_real(3), metrics.integer(4), metrics.text(5)});
  }));
  Statement& hist = readers.histograms;
  SGLEXP_CHECK(hist.start(trial_id).each([&] {
    trial.histograms.push_back({hist.text(0), hist.text(1), hist.integer(2), hist.text(3)});
  }));
  SGLEXP_CHECK(read_placement(readers.placement, trial_id, trial.placement));
  SGLEXP_TRY(const bool found, readers.server_info.start(trial_id, kServerInfoScope).next());
  if (found) {
    trial.server_info_json = readers.server_info.text(0);
  }
  return Ok{};
}

}  // namespace

Result<std::int64_t> write_trial(Database& database, std::string_view run_uuid,
                                 const TrialRecord& trial) {
  SGLEXP_CHECK(check_discard_reason(trial));
  SGLEXP_TRY(const std::int64_t arm, arm_id(database, run_uuid, trial.key.arm));
  SGLEXP_TRY(const std::int64_t id, upsert_trial(database, arm, trial));
  SGLEXP_CHECK(clear_parts(database, id));
  SGLEXP_CHECK(write_metric_values(database, id, trial.metrics));
  SGLEXP_CHECK(write_histograms(database, id, trial.histograms));
  SGLEXP_CHECK(write_placement(database, id, trial.placement));
  if (!trial.server_info_json.empty()) {
    SGLEXP_CHECK(write_trial_fact(database, id, kServerInfoScope, trial.server_info_json));
  }
  return id;
}

Result<std::vector<TrialRecord>> select_trials(Database& database, std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(PartReaders readers, prepare_parts(database));
  SGLEXP_TRY(Statement rows,
             Statement::prepare(
                 database,
                 "SELECT trial.id, arm.name, block, slot, load_point, attempt, slurm_job_id, "
                 "started_utc, warmup_us, measured_us, status, discard_reason, outcome, "
                 "failure_json, output_digest, requests_file FROM trial JOIN arm ON "
                 "arm.id = arm_id WHERE run_id = ?1 ORDER BY slot, trial.id"));
  std::vector<TrialRecord> out;
  const auto read = [&]() -> Status {
    SGLEXP_TRY(TrialRecord trial, read_trial(rows));
    SGLEXP_CHECK(read_parts(readers, rows.integer(0), trial));
    out.push_back(std::move(trial));
    return Ok{};
  };
  SGLEXP_CHECK(rows.start(run).each(read));
  return out;
}

}  // namespace sglexp
