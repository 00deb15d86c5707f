// SPDX-License-Identifier: Apache-2.0
#include "harness/store/comparison_rows.h"

#include <optional>
#include <utility>

#include "harness/store/keys.h"
#include "harness/store/statement.h"

namespace sglexp {

namespace {

std::string_view json_or_empty(const std::string& json) {
  return json.empty() ? "{}" : std::string_view(json);
}

Result<std::int64_t> replace_head(Database& database, std::int64_t run,
                                  const ComparisonRecord& record) {
  const std::string_view params = json_or_empty(record.params_json);
  SGLEXP_TRY(Statement remove,
             Statement::prepare(database,
                                "DELETE FROM comparison WHERE run_id = ?1 AND mode = ?2 AND "
                                "base_ref = ?3 AND cand_ref = ?4 AND params_json = ?5 AND "
                                "inputs_sha256 = ?6"));
  SGLEXP_CHECK(remove.run(run, record.comparison.mode, record.base_ref, record.cand_ref, params,
                          record.inputs_sha256));
  SGLEXP_TRY(Statement insert,
             Statement::prepare(
                 database,
                 "INSERT INTO comparison(run_id, mode, base_ref, cand_ref, made_utc, params_json, "
                 "inputs_sha256, env_diff_json, simulated, paired, verdict, exit_code) "
                 "VALUES(?1, ?2, ?3, ?4, coalesce(?5, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), ?6, "
                 "?7, ?8, ?9, ?10, ?11, ?12) RETURNING id"));
  const std::optional<std::string_view> verdict =
      record.verdict ? std::optional(verdict_name(*record.verdict)) : std::nullopt;
  insert.start(run, record.comparison.mode, record.base_ref, record.cand_ref,
               text_or_null(record.made_utc), params, record.inputs_sha256,
               text_or_null(record.env_diff_json), record.comparison.simulated,
               record.comparison.paired, verdict, record.exit_code);
  SGLEXP_TRY([[maybe_unused]] const bool row, insert.next());
  return insert.integer(0);
}

Status write_metric_rows(Database& database, std::int64_t id,
                         const std::vector<MetricComparison>& metrics) {
  SGLEXP_TRY(
      Statement insert,
      Statement::prepare(
          database,
          "INSERT INTO comparison_metric(comparison_id, metric, unit, direction, load_point, "
          "base_arm, arm, test, n_base, n_cand, base, cand, ratio, ci_low, ci_high, "
          "conf_asked, conf_achieved, p, p_adj, a12, margin, gate, fails_run, verdict, "
          "reason, more_runs, confounded_with) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
          "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, "
          "?26, ?27)"));
  for (const MetricComparison& m : metrics) {
    SGLEXP_CHECK(insert.run(id, m.metric, m.unit, direction_name(m.direction), m.load_point,
                            m.base_arm, m.arm, text_or_null(m.test), m.n_base, m.n_candidate,
                            m.base, m.candidate, m.ratio, m.ci_low, m.ci_high, m.confidence_asked,
                            m.confidence_achieved, m.p, m.p_adjusted, m.a12, m.margin, m.gate,
                            m.fails_run, verdict_name(m.verdict), text_or_null(m.reason),
                            m.more_runs, text_or_null(m.confounded_with)));
  }
  return Ok{};
}

Status write_sanity_rows(Database& database, std::int64_t id,
                         const std::vector<OutputSanity>& rows) {
  SGLEXP_TRY(Statement insert,
             Statement::prepare(database,
                                "INSERT INTO output_sanity(comparison_id, load_point, base_arm, "
                                "arm, pairs, equal, note) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  for (const OutputSanity& row : rows) {
    SGLEXP_CHECK(insert.run(id, row.load_point, row.base_arm, row.arm, row.pairs, row.equal,
                            text_or_null(row.note)));
  }
  return Ok{};
}

ComparisonRecord read_head(const Statement& row) {
  ComparisonRecord record{.base_ref = row.text(2),
                          .cand_ref = row.text(3),
                          .made_utc = row.text(4),
                          .params_json = row.text(5),
                          .inputs_sha256 = row.text(6),
                          .env_diff_json = row.text(7),
                          .verdict = parse_verdict(row.text(10)),
                          .exit_code = row.optional_small(11)};
  record.comparison.mode = row.text(1);
  record.comparison.simulated = row.flag(8);
  record.comparison.paired = row.flag(9);
  return record;
}

MetricComparison read_metric_row(const Statement& row) {
  return {.metric = row.text(0),
          .unit = row.text(1),
          .direction = parse_direction(row.text(2)).value_or(Direction::kNone),
          .load_point = row.text(3),
          .base_arm = row.text(4),
          .arm = row.text(5),
          .test = row.text(6),
          .base = row.optional_real(9),
          .candidate = row.optional_real(10),
          .ratio = row.optional_real(11),
          .ci_low = row.optional_real(12),
          .ci_high = row.optional_real(13),
          .confidence_asked = row.real(14),
          .confidence_achieved = row.optional_real(15),
          .p = row.optional_real(16),
          .p_adjusted = row.optional_real(17),
          .a12 = row.optional_real(18),
          .n_base = row.small(7),
          .n_candidate = row.small(8),
          .margin = row.real(19),
          .gate = row.flag(20),
          .fails_run = row.flag(21),
          .verdict = parse_verdict(row.text(22)).value_or(Verdict::kNoData),
          .reason = row.text(23),
          .more_runs = row.optional_small(24),
          .confounded_with = row.text(25)};
}

Status read_parts(Database& database, std::int64_t id, Comparison& comparison) {
  SGLEXP_TRY(Statement metrics,
             Statement::prepare(
                 database,
                 "SELECT metric, unit, direction, load_point, base_arm, arm, test, n_base, n_cand, "
                 "base, cand, ratio, ci_low, ci_high, conf_asked, conf_achieved, p, p_adj, a12, "
                 "margin, gate, fails_run, verdict, reason, more_runs, confounded_with FROM "
                 "comparison_metric WHERE comparison_id = ?1 ORDER BY rowid"));
  SGLEXP_CHECK(
      metrics.start(id).each([&] { comparison.metrics.push_back(read_metric_row(metrics)); }));
  SGLEXP_TRY(Statement sanity,
             Statement::prepare(database,
                                "SELECT base_arm, arm, load_point, pairs, equal, note FROM "
                                "output_sanity WHERE comparison_id = ?1 ORDER BY rowid"));
  return sanity.start(id).each([&] {
    comparison.output_sanity.push_back({sanity.text(0), sanity.text(1), sanity.text(2),
                                        sanity.small(3), sanity.small(4), sanity.text(5)});
  });
}

}  // namespace

Status write_comparison(Database& database, std::string_view run_uuid,
                        const ComparisonRecord& record) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(const std::int64_t id, replace_head(database, run, record));
  SGLEXP_CHECK(write_metric_rows(database, id, record.comparison.metrics));
  return write_sanity_rows(database, id, record.comparison.output_sanity);
}

Result<std::vector<ComparisonRecord>> select_comparisons(Database& database,
                                                         std::string_view run_uuid) {
  SGLEXP_TRY(const std::int64_t run, run_id(database, run_uuid));
  SGLEXP_TRY(Statement heads,
             Statement::prepare(database,
                                "SELECT id, mode, base_ref, cand_ref, made_utc, params_json, "
                                "inputs_sha256, env_diff_json, simulated, paired, verdict, "
                                "exit_code FROM comparison WHERE run_id = ?1 "
                                "ORDER BY made_utc, id"));
  std::vector<ComparisonRecord> out;
  const auto read = [&]() -> Status {
    ComparisonRecord record = read_head(heads);
    SGLEXP_CHECK(read_parts(database, heads.integer(0), record.comparison));
    out.push_back(std::move(record));
    return Ok{};
  };
  SGLEXP_CHECK(heads.start(run).each(read));
  return out;
}

}  // namespace sglexp
