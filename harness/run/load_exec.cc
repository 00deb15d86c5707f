// SPDX-License-Identifier: Apache-2.0
#include "harness/run/load_exec.h"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/load/requests_file.h"
#include "harness/record/json.h"
#include "harness/run/enumerator.h"
#include "harness/sys/files.h"
#include "harness/sys/proc_fs.h"
#include "harness/topology/binding.h"

namespace sglexp {

namespace {

using nlohmann::json;

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

// Seconds from the first warm-up request until the measured window opened.
double warmup_seconds(const LoadResult& result) {
  std::int64_t first = result.window_begin_ns;
  for (const RequestRecord& request : result.requests) {
    if (request.warmup && request.t_start_ns >= 0) {
      first = std::min(first, request.t_start_ns);
    }
  }
  return seconds(result.window_begin_ns - first);
}

}  // namespace

std::string load_exec_spec_to_json(const LoadExecSpec& spec) {
  const LoadJob& job = spec.job;
  return json({{"url", job.url},
               {"api", static_cast<int>(job.api)},
               {"model", job.model},
               {"concurrency", job.concurrency},
               {"requests", job.requests},
               {"warmup_requests", job.warmup_requests},
               {"input_tokens", job.input_tokens},
               {"output_tokens", job.output_tokens},
               {"prompt_seed", job.prompt_seed},
               {"connect_timeout_ns", job.connect_timeout.count()},
               {"first_token_timeout_ns", job.first_token_timeout.count()},
               {"gap_timeout_ns", job.gap_timeout.count()},
               {"request_timeout_ns", job.request_timeout.count()},
               {"cpus", spec.cpus},
               {"bind", spec.bind},
               {"requests_file", spec.requests_file},
               {"result_file", spec.result_file}})
      .dump(1, ' ', false, json::error_handler_t::replace);
}

Result<LoadExecSpec> parse_load_exec_spec(std::string_view text) {
  try {
    const json in = json::parse(text);
    const auto nanos = [&](const char* key) { return Nanos(in.at(key).get<std::int64_t>()); };
    return LoadExecSpec{.job = {.url = in.at("url"),
                                .api = enumerator(in.at("api").get<int>(), LoadApi::kChat),
                                .model = in.at("model"),
                                .concurrency = in.at("concurrency"),
                                .requests = in.at("requests"),
                                .warmup_requests = in.at("warmup_requests"),
                                .input_tokens = in.at("input_tokens"),
                                .output_tokens = in.at("output_tokens"),
                                .prompt_seed = in.at("prompt_seed"),
                                .connect_timeout = nanos("connect_timeout_ns"),
                                .first_token_timeout = nanos("first_token_timeout_ns"),
                                .gap_timeout = nanos("gap_timeout_ns"),
                                .request_timeout = nanos("request_timeout_ns")},
                        .cpus = in.at("cpus"),
                        .bind = in.at("bind"),
                        .requests_file = in.at("requests_file"),
                        .result_file = in.at("result_file")};
  } catch (const std::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("load specification: {}", problem.what())};
  }
}

Result<LoadExecResult> read_load_exec_result(const std::string& path) {
  SGLEXP_TRY(const std::string text, read_file(path, 256 << 20));
  try {
    const json in = json::parse(text);
    SGLEXP_TRY(TrialRecord measured, parse_trial(in.at("measured").dump()));
    return LoadExecResult{.warmup_s = measured.warmup_s,
                          .measured_s = measured.measured_s,
                          .failed = in.at("failed"),
                          .first_failure = in.at("first_failure"),
                          .invalid_reason = in.at("invalid_reason"),
                          .output_digest = measured.output_digest,
                          .observed_cpus = in.at("observed_cpus"),
                          .metrics = std::move(measured.metrics),
                          .histograms = std::move(measured.histograms)};
  } catch (const json::exception& problem) {
    return Error{ErrorCode::kInvalidInput, fmt::format("{}: {}", path, problem.what())};
  }
}

Status load_exec(const LoadExecSpec& spec, const std::atomic<bool>& stop) {
  if (spec.bind) {
    const auto bound = bind_self(spec.cpus, {});
    if (!bound.ok()) {
      return with_context(bound.error(), "binding the load client");
    }
  }
  SGLEXP_TRY(const LoadResult result, run_load(spec.job, stop));
  LoadSummary summary = summarize(spec.job, result);
  SGLEXP_CHECK(write_requests_file(spec.requests_file, result.requests));
  TrialRecord measured{.warmup_s = warmup_seconds(result),
                       .measured_s = seconds(result.window_end_ns - result.window_begin_ns),
                       .metrics = std::move(summary.metrics),
                       .histograms = std::move(summary.histograms),
                       .output_digest = summary.output_digest};
  const json out = {
      {"measured", json::parse(trial_to_json(measured))},
      {"failed", summary.failed},
      {"first_failure", printable(summary.first_failure)},
      {"invalid_reason", result.client.invalid_reason},
      {"observed_cpus", process_status_field(getpid(), "Cpus_allowed_list").value_or("")}};
  return write_file_atomic(spec.result_file,
                           out.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace sglexp
