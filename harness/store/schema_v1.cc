// SPDX-License-Identifier: Apache-2.0
#include "harness/store/schema.h"

namespace sglexp {

constexpr std::string_view kSchemaV1 = R"sql(
CREATE TABLE schema_migration(
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK(length(sha256) = 64),
  applied_utc TEXT NOT NULL
) STRICT;

-- What ran -------------------------------------------------------------------------------------
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK(uuid <> ''),
  token TEXT NOT NULL,
  suite TEXT,
  scenario TEXT NOT NULL,
  cluster TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('experiment', 'nightly', 'pr', 'adhoc')),
  branch TEXT,
  commit_sha TEXT,
  started_utc TEXT NOT NULL,
  ended_utc TEXT,
  status TEXT NOT NULL CHECK(status IN ('running', 'complete', 'partial', 'aborted')),
  outcome TEXT CHECK(outcome IN ('passed', 'regressed', 'inconclusive', 'usage', 'queue_timeout',
    'infrastructure', 'environment', 'startup', 'unhealthy', 'load_failed', 'invalid', 'cancelled',
    'internal')),
  failure_json TEXT CHECK(failure_json IS NULL OR json_valid(failure_json)),
  run_dir TEXT NOT NULL,
  spec_json TEXT CHECK(spec_json IS NULL OR json_valid(spec_json)),
  spec_hash TEXT NOT NULL,
  seed TEXT NOT NULL,                     -- decimal: unsigned 64 bit does not fit in INTEGER
  tool_version TEXT NOT NULL,
  simulated INTEGER NOT NULL CHECK(simulated IN (0, 1)),
  simulated_why TEXT,
  CHECK(simulated = 0 OR simulated_why IS NOT NULL)
) STRICT;
CREATE INDEX run_by_scenario ON run(scenario, branch, started_utc);
CREATE INDEX run_by_start ON run(started_utc);

CREATE TABLE job(
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  slurm_job_id TEXT NOT NULL CHECK(slurm_job_id <> ''),
  name TEXT NOT NULL,
  state TEXT NOT NULL,                    -- Slurm's word: its list grows, so no CHECK
  PRIMARY KEY(run_id, slurm_job_id)
) STRICT;

CREATE TABLE arm(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT NOT NULL CHECK(name <> ''),
  factors_json TEXT CHECK(factors_json IS NULL OR json_valid(factors_json)),
  compare_key TEXT NOT NULL,
  is_base INTEGER NOT NULL CHECK(is_base IN (0, 1)),
  is_control INTEGER NOT NULL DEFAULT 0 CHECK(is_control IN (0, 1)),
  UNIQUE(run_id, name)
) STRICT;
CREATE INDEX arm_by_key ON arm(compare_key, run_id);

CREATE TABLE node(
  id INTEGER PRIMARY KEY,
  hostname TEXT NOT NULL UNIQUE,
  gpu_arch TEXT,
  gpu_model TEXT,
  numa_nodes INTEGER
) STRICT;
INSERT INTO node(id, hostname) VALUES(0, '');  -- the cluster as a whole

CREATE TABLE trial(
  id INTEGER PRIMARY KEY,
  arm_id INTEGER NOT NULL REFERENCES arm ON DELETE CASCADE,
  block INTEGER NOT NULL CHECK(block >= 0),
  slot INTEGER NOT NULL CHECK(slot >= 0),
  load_point TEXT NOT NULL,
  attempt INTEGER NOT NULL CHECK(attempt >= 0),
  slurm_job_id TEXT,
  started_utc TEXT,
  warmup_us INTEGER,
  measured_us INTEGER,
  status TEXT NOT NULL CHECK(status IN ('ok', 'test_failed', 'infra_failed', 'discarded')),
  discard_reason TEXT,
  outcome TEXT NOT NULL CHECK(outcome IN ('passed', 'regressed', 'inconclusive', 'usage',
    'queue_timeout', 'infrastructure', 'environment', 'startup', 'unhealthy', 'load_failed',
    'invalid', 'cancelled', 'internal')),
  failure_json TEXT CHECK(failure_json IS NULL OR json_valid(failure_json)),
  output_digest TEXT,
  requests_file TEXT,
  UNIQUE(arm_id, block, slot, load_point, attempt),
  CHECK((status = 'discarded') = (discard_reason IS NOT NULL))
) STRICT;

CREATE TABLE placement(
  trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  rank INTEGER NOT NULL,
  node_id INTEGER NOT NULL REFERENCES node,
  gpu_index INTEGER,
  gpu_uuid TEXT,
  gpu_pci TEXT,
  gpu_numa INTEGER,
  cpuset TEXT,
  mem_policy TEXT,
  port INTEGER,
  observed_cpuset TEXT,
  observed_gpus TEXT,
  observed_numa_json TEXT CHECK(observed_numa_json IS NULL OR json_valid(observed_numa_json)),
  simulated_binding INTEGER NOT NULL CHECK(simulated_binding IN (0, 1)),
  PRIMARY KEY(trial_id, role, name, rank)
) STRICT;

-- Where it ran ---------------------------------------------------------------------------------
CREATE TABLE env_blob(
  hash TEXT PRIMARY KEY CHECK(length(hash) = 64),
  json TEXT NOT NULL CHECK(json_valid(json))
) STRICT;

CREATE TABLE run_env(                     -- what a job found on a node before its trials
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  slurm_job_id TEXT NOT NULL,
  node_id INTEGER NOT NULL REFERENCES node,
  scope TEXT NOT NULL CHECK(scope <> ''),
  hash TEXT NOT NULL REFERENCES env_blob,
  PRIMARY KEY(run_id, slurm_job_id, node_id, scope)
) STRICT;

CREATE TABLE env_fact(                    -- what holds for one trial
  trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  node_id INTEGER NOT NULL REFERENCES node,
  scope TEXT NOT NULL CHECK(scope <> ''),
  hash TEXT NOT NULL REFERENCES env_blob,
  PRIMARY KEY(trial_id, node_id, scope)
) STRICT;

CREATE TABLE check_result(
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  slurm_job_id TEXT NOT NULL,
  seq INTEGER NOT NULL,                   -- order of the catalogue
  node_id INTEGER NOT NULL REFERENCES node,
  check_id TEXT NOT NULL CHECK(check_id <> ''),
  required INTEGER NOT NULL CHECK(required IN (0, 1)),
  measured INTEGER NOT NULL CHECK(measured IN (0, 1)),
  verdict TEXT NOT NULL CHECK(verdict IN ('pass', 'warn', 'fail', 'not_applicable')),
  expected TEXT,
  observed TEXT,
  evidence TEXT,
  remedy TEXT,
  PRIMARY KEY(run_id, slurm_job_id, seq),
  CHECK(NOT (measured = 0 AND verdict = 'pass'))   -- what was not measured never passes
) STRICT;

-- What was measured ----------------------------------------------------------------------------
CREATE TABLE metric_def(                  -- a name keeps its unit and direction for ever
  name TEXT PRIMARY KEY CHECK(name <> ''),
  unit TEXT NOT NULL,
  direction TEXT NOT NULL CHECK(direction IN ('higher', 'lower', 'none')),
  kind TEXT NOT NULL CHECK(kind IN ('level', 'rate', 'count', 'exact'))
) STRICT;

CREATE TABLE run_metric(                  -- how a run judges it
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name TEXT NOT NULL REFERENCES metric_def,
  margin_rel REAL CHECK(margin_rel >= 0),
  margin_abs REAL CHECK(margin_abs >= 0),
  gate INTEGER NOT NULL CHECK(gate IN (0, 1)),
  PRIMARY KEY(run_id, name)
) STRICT;

CREATE TABLE metric(
  trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL REFERENCES metric_def,
  value REAL,
  n INTEGER NOT NULL,
  reason TEXT,
  PRIMARY KEY(trial_id, name),
  CHECK(value IS NOT NULL OR reason IS NOT NULL)
) STRICT;
CREATE INDEX metric_by_name ON metric(name, trial_id);

-- Moments count from the trial's origin. TTFT and the rest are derived by the program alone, so
-- that there is one definition of each.
CREATE TABLE request(
  trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK(phase IN ('warmup', 'measured')),
  sched_us INTEGER,
  start_us INTEGER,
  sent_us INTEGER,
  headers_us INTEGER,
  first_us INTEGER,
  last_us INTEGER,
  end_us INTEGER,
  in_tok INTEGER,
  out_tok INTEGER NOT NULL,
  cached_tok INTEGER,
  http_status INTEGER NOT NULL,
  status TEXT NOT NULL CHECK(status IN ('ok', 'connect', 'http_status', 'in_band_error', 'parse',
    'truncated', 'timeout', 'wrong_length', 'cancelled')),
  finish TEXT,
  error TEXT,
  output_sha256 BLOB CHECK(length(output_sha256) = 32),
  gap_n INTEGER NOT NULL,                 -- gaps between events that carried tokens
  gap_p50_us INTEGER,                     -- nearest rank
  gap_max_us INTEGER,
  itl_blob BLOB,                          -- store/itl_codec.h; NULL: not kept
  PRIMARY KEY(trial_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE hist(
  trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
  name TEXT NOT NULL,
  codec TEXT NOT NULL,
  total INTEGER NOT NULL,
  blob BLOB NOT NULL,
  PRIMARY KEY(trial_id, name)
) STRICT;

-- What it means --------------------------------------------------------------------------------
CREATE TABLE baseline(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  compare_key TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('pinned', 'rolling')),
  set_utc TEXT NOT NULL,
  set_by TEXT NOT NULL,
  note TEXT,
  superseded_by INTEGER REFERENCES baseline
) STRICT;
CREATE INDEX baseline_by_key ON baseline(compare_key, name);

CREATE TABLE baseline_trial(
  baseline_id INTEGER NOT NULL REFERENCES baseline ON DELETE CASCADE,
  trial_id INTEGER NOT NULL REFERENCES trial,   -- no cascade: a baseline is never hollowed out
  PRIMARY KEY(baseline_id, trial_id)
) STRICT;

CREATE TABLE comparison(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  mode TEXT NOT NULL CHECK(mode IN ('arms', 'baseline', 'history')),
  base_ref TEXT NOT NULL,
  cand_ref TEXT NOT NULL,
  made_utc TEXT NOT NULL,
  params_json TEXT NOT NULL CHECK(json_valid(params_json)),
  inputs_sha256 TEXT NOT NULL,
  env_diff_json TEXT CHECK(env_diff_json IS NULL OR json_valid(env_diff_json)),
  simulated INTEGER NOT NULL CHECK(simulated IN (0, 1)),
  paired INTEGER NOT NULL CHECK(paired IN (0, 1)),
  verdict TEXT CHECK(verdict IN ('worse', 'better', 'no_change', 'inconclusive', 'not_comparable',
    'no_data')),
  exit_code INTEGER,
  UNIQUE(run_id, mode, base_ref, cand_ref, params_json, inputs_sha256)
) STRICT;

CREATE TABLE comparison_metric(
  comparison_id INTEGER NOT NULL REFERENCES comparison ON DELETE CASCADE,
  metric TEXT NOT NULL,                   -- with its own unit: "" where nothing was measured
  unit TEXT NOT NULL,
  direction TEXT NOT NULL CHECK(direction IN ('higher', 'lower', 'none')),
  load_point TEXT NOT NULL,
  base_arm TEXT NOT NULL,
  arm TEXT NOT NULL,
  test TEXT,
  n_base INTEGER NOT NULL,
  n_cand INTEGER NOT NULL,
  base REAL,
  cand REAL,
  ratio REAL,
  ci_low REAL,
  ci_high REAL,
  conf_asked REAL,
  conf_achieved REAL,
  p REAL CHECK(p BETWEEN 0 AND 1),
  p_adj REAL CHECK(p_adj BETWEEN 0 AND 1),
  a12 REAL CHECK(a12 BETWEEN 0 AND 1),
  margin REAL,
  gate INTEGER NOT NULL CHECK(gate IN (0, 1)),
  fails_run INTEGER NOT NULL CHECK(fails_run IN (0, 1)),
  verdict TEXT NOT NULL CHECK(verdict IN ('worse', 'better', 'no_change', 'inconclusive',
    'not_comparable', 'no_data')),
  reason TEXT,
  more_runs INTEGER,
  confounded_with TEXT,
  PRIMARY KEY(comparison_id, metric, load_point, base_arm, arm)
) STRICT;

CREATE TABLE output_sanity(
  comparison_id INTEGER NOT NULL REFERENCES comparison ON DELETE CASCADE,
  load_point TEXT NOT NULL,
  base_arm TEXT NOT NULL,
  arm TEXT NOT NULL,
  pairs INTEGER NOT NULL,
  equal INTEGER NOT NULL CHECK(equal BETWEEN 0 AND pairs),
  note TEXT,
  PRIMARY KEY(comparison_id, load_point, base_arm, arm)
) STRICT;

CREATE TABLE change_point(
  series_key TEXT NOT NULL,
  first_run INTEGER NOT NULL REFERENCES run,
  prev_run INTEGER NOT NULL REFERENCES run,
  rel REAL NOT NULL,
  p REAL NOT NULL CHECK(p > 0 AND p <= 1),
  state TEXT NOT NULL CHECK(state IN ('open', 'acknowledged', 'false_alarm', 'fixed')),
  note TEXT,
  issue_url TEXT,
  PRIMARY KEY(series_key, first_run)
) STRICT;
)sql";

}  // namespace sglexp
