// SPDX-License-Identifier: Apache-2.0
#include "harness/report/sample_report.h"

#include <string>

#include <fmt/format.h>

namespace sglexp {

namespace {

constexpr double kJitter[] = {0.0, 0.8, -0.6, 0.3, -0.9, 0.5, -0.2, 0.7};

RunInfo base_run(Outcome outcome) {
  return {.uuid = "7f3a1c2e-5b0d-4c6e-9a41-2f8e6d1c0b9a",
          .token = "7f3a1c2e",
          .scenario = "numa_compare",
          .cluster = "mi210",
          .status = "complete",
          .started_utc = "2026-11-30T21:14:32.123Z",
          .ended_utc = "2026-11-30T21:31:07.456Z",
          .run_dir = "/data/sglexp/runs/7f3a1c2e-5b0d-4c6e-9a41-2f8e6d1c0b9a",
          .spec_hash = "0f1e2d",
          .seed = 1,
          .tool_version = "0.1.0",
          .outcome = outcome,
          .job_ids = {"1001"},
          .arms = {{"same_numa", true, "{}", "k"}, {"cross_numa", false, "{}", "k"}}};
}

PlacementRow gpu_row(const std::string& node, int rank, int gpu, int numa) {
  return {.role = "worker",
          .name = node == "gpu01" ? "w0" : "w1",
          .rank = rank,
          .node = node,
          .gpu_index = gpu,
          .gpu_pci = fmt::format("0000:{:02x}:00.0", 5 + 32 * gpu),
          .gpu_numa = numa,
          .cpus = numa == 0 ? "2-31" : "64-95",
          .mem_nodes = std::to_string(numa),
          .port = 20010,
          .observed_cpus = numa == 0 ? "2-31" : "64-95",
          .observed_gpus = fmt::format("0000:{:02x}:00.0", 5 + 32 * gpu),
          .simulated_binding = true};
}

std::vector<PlacementRow> placement(bool cross) {
  std::vector<PlacementRow> rows;
  for (const char* const node : {"gpu01", "gpu02"}) {
    rows.push_back(gpu_row(node, 0, 0, 0));
    rows.push_back(gpu_row(node, 1, cross ? 4 : 1, cross ? 1 : 0));
  }
  rows.push_back(
      {.role = "router", .name = "router", .node = "gpu01", .cpus = "0-1", .port = 20000});
  return rows;
}

// Deterministic values with a spread of about 1 %.
double throughput(bool cross, int block, int concurrency) {
  const double base = 150.0 * concurrency / (1 + 0.02 * concurrency);
  return base * (cross ? 0.87 : 1.0) * (1 + kJitter[(block + (cross ? 3 : 0)) % 8] / 100);
}

std::vector<TrialRecord> trials(int blocks) {
  std::vector<TrialRecord> out;
  for (int slot = 0; slot < 2 * blocks; ++slot) {
    const int block = slot / 2;
    const bool cross = (slot + block) % 2 == 1;
    for (const int concurrency : {4, 16}) {
      out.push_back({.key = {cross ? "cross_numa" : "same_numa", block, slot,
                             fmt::format("c{}", concurrency), 0},
                     .job_id = "1001",
                     .started_utc = "2026-11-30T21:15:00.000Z",
                     .warmup_s = 1.5,
                     .measured_s = 10.25,
                     .status = TrialStatus::kOk,
                     .outcome = Outcome::kPassed,
                     .metrics = {{"output_tok_s", "tok/s", Direction::kHigherIsBetter,
                                  throughput(cross, block, concurrency), 32, ""},
                                 {"ttft_p99_ms", "ms", Direction::kLowerIsBetter, std::nullopt, 32,
                                  "needs 100 samples"}},
                     .placement = placement(cross),
                     .output_digest = "d",
                     .requests_file = "trials/x.ndjson"});
    }
  }
  return out;
}

MetricComparison row(const std::string& load_point, Verdict verdict) {
  return {.metric = "output_tok_s",
          .unit = "tok/s",
          .direction = Direction::kHigherIsBetter,
          .load_point = load_point,
          .base_arm = "same_numa",
          .arm = "cross_numa",
          .test = "sign_flip",
          .base = load_point == "c4" ? 556.4 : 1821.1,
          .candidate = load_point == "c4" ? 484.1 : 1584.3,
          .ratio = 0.8693,
          .ci_low = 0.8601,
          .ci_high = 0.8782,
          .confidence_achieved = 0.9609375,
          .p = 0.0078125,
          .p_adjusted = 0.015625,
          .a12 = 0.0,
          .n_base = 8,
          .n_candidate = 8,
          .margin = 0.03,
          .gate = true,
          .fails_run = false,
          .verdict = verdict,
          .reason = "confirmed over margin"};
}

MetricComparison latency_row(Verdict verdict) {
  MetricComparison m = row("c16", verdict);
  m.metric = "ttft_p50_ms";
  m.unit = "ms";
  m.direction = Direction::kLowerIsBetter;
  m.base = 183.2;
  m.candidate = 182.4;
  m.ratio = 0.9956;
  m.ci_low = 0.979;
  m.ci_high = 1.0101;
  m.p = 0.44;
  m.p_adjusted = std::nullopt;
  m.margin = 0.05;
  m.gate = false;
  m.reason = "";
  return m;
}

std::vector<CheckResult> passing_checks() {
  std::vector<CheckResult> out;
  for (const char* const node : {"gpu01", "gpu02"}) {
    for (const char* const id : {"gpu_set", "cpu_mask", "ports_free"}) {
      out.push_back({.id = id, .node = node, .verdict = CheckVerdict::kPass});
    }
  }
  out.push_back({.id = "memlock", .node = "gpu01", .verdict = CheckVerdict::kNotApplicable});
  return out;
}

}  // namespace

RunReport passing_simulated_report() {
  RunReport report{.run = base_run(Outcome::kPassed),
                   .checks = passing_checks(),
                   .trials = trials(8),
                   .comparison = Comparison{.simulated = true}};
  report.run.cluster = "mock";
  report.run.simulated = true;
  report.run.simulated_why = "mock scheduler, fake engine, recorded topology";
  report.jobs = {{"1001", "shared", "COMPLETED"}};
  report.comparison->metrics = {row("c4", Verdict::kWorse), row("c16", Verdict::kWorse),
                                latency_row(Verdict::kNoChange)};
  report.comparison->output_sanity = {
      {"same_numa", "cross_numa", "c4", 8, 8, ""},
      {"same_numa", "cross_numa", "c16", 8, 7, "outputs differ in block 3"}};
  report.environment = {{"gpu01", "kernel", "6.1.0-18-amd64"},
                        {"gpu02", "kernel", "6.1.0-18-amd64"},
                        {"gpu01", "rocm", "6.2.4"},
                        {"gpu02", "rocm", "6.2.0"}};
  report.report_file = report.run.run_dir + "/report.md";
  report.database = "/home/ci/.local/share/sglexp/sglexp.db";
  return report;
}

RunReport regressed_report() {
  RunReport report = passing_simulated_report();
  report.run.cluster = "mi210";
  report.run.simulated = false;
  report.run.simulated_why = "";
  report.run.outcome = Outcome::kRegressed;
  report.exit = ExitCode::kRegression;
  report.comparison->simulated = false;
  report.comparison->output_sanity.clear();
  for (MetricComparison& metric : report.comparison->metrics) {
    metric.fails_run = metric.gate;
  }
  report.comparison->metrics[0].p_adjusted = 3e-6;
  return report;
}

RunReport inconclusive_report() {
  RunReport report = regressed_report();
  report.run.outcome = Outcome::kInconclusive;
  report.exit = ExitCode::kInconclusive;  // --fail-on inconclusive
  report.trials = trials(3);
  report.trials[2].status = TrialStatus::kDiscarded;
  report.trials[2].discard_reason = "preempted";
  report.comparison->paired = false;
  for (MetricComparison& metric : report.comparison->metrics) {
    metric.verdict = Verdict::kInconclusive;
    metric.n_base = 3;
    metric.n_candidate = 3;
    metric.ci_low = std::nullopt;
    metric.ci_high = std::nullopt;
    metric.confidence_achieved = std::nullopt;
    metric.p_adjusted = 0.25;
    metric.reason = "3 trials per arm are below the floor, need at least 4";
    metric.more_runs = 1;
    metric.confounded_with = "nodes";
  }
  return report;
}

RunReport failed_environment_report() {
  RunReport report{.run = base_run(Outcome::kEnvironment),
                   .exit = ExitCode::kFunctional,
                   .checks = passing_checks()};
  report.run.status = "aborted";
  report.checks[3] = {.id = "visibility",
                      .node = "gpu02",
                      .verdict = CheckVerdict::kFail,
                      .expected = "0000:05:00.0, 0000:25:00.0, 0000:45:00.0, 0000:65:00.0",
                      .observed = "no GPU",
                      .evidence = "ROCR_VISIBLE_DEVICES=4,5,6,7 HIP_VISIBLE_DEVICES=4,5,6,7",
                      .remedy = "unset HIP_VISIBLE_DEVICES, or write positions (0,1,2,3) into it"};
  report.checks.push_back({.id = "clock_offset",
                           .node = "",
                           .measured = false,
                           .verdict = CheckVerdict::kFail,
                           .expected = "below 100 ms",
                           .evidence = "no answer from gpu02",
                           .remedy = "run chrony on every node"});
  report.checks.push_back({.id = "memlock",
                           .node = "gpu02",
                           .required = false,
                           .verdict = CheckVerdict::kWarn,
                           .expected = "unlimited",
                           .observed = "64KiB",
                           .evidence = "ulimit -l",
                           .remedy = "raise the limit in limits.conf"});
  report.run.failure =
      Failure{.outcome = Outcome::kEnvironment,
              .what = "required check visibility failed on node gpu02",
              .node = "gpu02",
              .phase = "probe",
              .cause =
                  "HIP_VISIBLE_DEVICES=4,5,6,7 indexes into the 4 GPUs that "
                  "ROCR_VISIBLE_DEVICES left, and none has such a position",
              .evidence = "ROCR_VISIBLE_DEVICES=4,5,6,7 HIP_VISIBLE_DEVICES=4,5,6,7",
              .remedy = "unset HIP_VISIBLE_DEVICES, or write positions (0,1,2,3) into it",
              .files = report.run.run_dir + "/nodes/gpu02"};
  report.report_file = report.run.run_dir + "/report.md";
  return report;
}

RunReport failed_startup_report() {
  const std::string hostile_node = "gpu02\x1b[2J`|<script>alert(1)</script>";
  RunReport report{.run = base_run(Outcome::kStartup), .exit = ExitCode::kFunctional};
  report.run.status = "aborted";
  report.run.failure =
      Failure{.outcome = Outcome::kStartup,
              .what = "worker w1 exited during start-up (exit code 1)",
              .node = hostile_node,
              .phase = "launch",
              .cause = "address already in use: another process holds port 20010",
              .evidence =
                  "\x1b]0;pwned\x07[Errno 98] error while attempting to bind on address "
                  "('0.0.0.0', 20010): ```\n# not a heading | not a cell\n<img src=x "
                  "onerror=alert(1)> see https://evil.example/ @everyone \xff\xfe caf\xc3\xa9",
              .remedy = "find the process with `ss -ltnp`, or leave the port to sglexp",
              .files = report.run.run_dir + "/logs/w1.log"};
  TrialRecord lost{.key = {"same_numa", 0, 0, "c4", 0},
                   .status = TrialStatus::kTestFailed,
                   .outcome = Outcome::kStartup,
                   .failure = report.run.failure};
  report.trials = {lost};
  report.environment = {{hostile_node, "kernel`|", "6.1 <b>bold</b> | ``x``"}};
  report.report_file = report.run.run_dir + "/report.md";
  return report;
}

}  // namespace sglexp
