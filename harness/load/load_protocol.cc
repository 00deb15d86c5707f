// SPDX-License-Identifier: Apache-2.0
#include "harness/load/load_protocol.h"

#include <nlohmann/json.hpp>

namespace sglexp {

namespace {

using nlohmann::json;

// Greedy and without a stop token, so that the server owes exactly output_tokens tokens. Defaults
// would be 1.0 for the temperature, and 128 (/generate) or 16 (/v1/completions) tokens.
json generate_body(const LoadJob& job, std::string_view prompt) {
  return {{"text", prompt},
          {"sampling_params",
           {{"max_new_tokens", job.output_tokens}, {"temperature", 0}, {"ignore_eos", true}}},
          {"stream", true}};
}

json openai_body(const LoadJob& job) {
  return {{"model", job.model},
          {"max_tokens", job.output_tokens},
          {"temperature", 0},
          {"ignore_eos", true},
          {"stream", true},
          {"stream_options", {{"include_usage", true}, {"continuous_usage_stats", true}}}};
}

}  // namespace

std::string_view api_path(LoadApi api) {
  switch (api) {
    case LoadApi::kGenerate:
      return "/generate";
    case LoadApi::kCompletions:
      return "/v1/completions";
    case LoadApi::kChat:
      return "/v1/chat/completions";
  }
  return "";
}

std::string render_body(const LoadJob& job, std::string_view prompt) {
  json body;
  switch (job.api) {
    case LoadApi::kGenerate:
      body = generate_body(job, prompt);
      break;
    case LoadApi::kCompletions:
      body = openai_body(job);
      body["prompt"] = prompt;
      break;
    case LoadApi::kChat:
      body = openai_body(job);
      body["messages"] = json::array({{{"role", "user"}, {"content", prompt}}});
      break;
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sglexp
