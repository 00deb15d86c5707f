// SPDX-License-Identifier: Apache-2.0
#include "harness/load/requests_file.h"

#include <nlohmann/json.hpp>

#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "sglexp-requests/1";

// Events as a flat list of differences: [ns since the event before, tokens it brought, ...]. The
// first is relative to the origin. About 11 bytes a token instead of 30.
json events_to_json(const std::vector<TokenEvent>& events) {
  json list = json::array();
  TokenEvent before;
  for (const TokenEvent& event : events) {
    list.push_back(event.t_ns - before.t_ns);
    list.push_back(event.tokens - before.tokens);
    before = event;
  }
  return list;
}

std::vector<TokenEvent> events_from_json(const json& list) {
  std::vector<TokenEvent> events;
  events.reserve(list.size() / 2);
  TokenEvent event;
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    event.t_ns += list.at(i).get<std::int64_t>();
    event.tokens += list.at(i + 1).get<std::int32_t>();
    events.push_back(event);
  }
  return events;
}

json record_to_json(const RequestRecord& record) {
  return {{"seq", record.seq},
          {"warmup", record.warmup},
          {"t",
           {record.t_sched_ns, record.t_start_ns, record.t_sent_ns, record.t_headers_ns,
            record.t_first_ns, record.t_last_ns, record.t_end_ns}},
          {"tokens", {record.input_tokens, record.output_tokens, record.cached_tokens}},
          {"http", record.http_status},
          {"status", request_status_name(record.status)},
          {"finish", record.finish_reason},
          {"error", record.error},
          {"sha256", record.output_sha256},
          {"events", events_to_json(record.events)}};
}

// Throws what nlohmann throws.
Result<RequestRecord> record_from_json(const json& line) {
  RequestRecord record;
  line.at("seq").get_to(record.seq);
  line.at("warmup").get_to(record.warmup);
  const json& t = line.at("t");
  std::int64_t* const moments[] = {&record.t_sched_ns,   &record.t_start_ns, &record.t_sent_ns,
                                   &record.t_headers_ns, &record.t_first_ns, &record.t_last_ns,
                                   &record.t_end_ns};
  for (std::size_t i = 0; i < std::size(moments); ++i) {
    t.at(i).get_to(*moments[i]);
  }
  line.at("tokens").at(0).get_to(record.input_tokens);
  line.at("tokens").at(1).get_to(record.output_tokens);
  line.at("tokens").at(2).get_to(record.cached_tokens);
  line.at("http").get_to(record.http_status);
  line.at("finish").get_to(record.finish_reason);
  line.at("error").get_to(record.error);
  line.at("sha256").get_to(record.output_sha256);
  record.events = events_from_json(line.at("events"));
  const auto name = line.at("status").get<std::string>();
  const auto status = parse_request_status(name);
  if (!status) {
    return Error{ErrorCode::kInvalidInput, "unknown status \"" + name + "\""};
  }
  record.status = *status;
  return record;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

Result<std::size_t> parse_head(std::string_view line) {
  try {
    const json head = json::parse(line);
    if (head.at("schema").get<std::string>() == kSchema) {
      return head.at("requests").get<std::size_t>();
    }
  } catch (const json::exception&) {
  }
  return Error{ErrorCode::kInvalidInput,
               "line 1: not the first line of a request file (expected schema " +
                   std::string(kSchema) + ")"};
}

Result<RequestRecord> parse_line(std::string_view line, std::size_t number) {
  const std::string where = "line " + std::to_string(number);
  try {
    auto record = record_from_json(json::parse(line));
    return record.ok() ? std::move(record) : with_context(record.error(), where);
  } catch (const json::exception& error) {
    return Error{ErrorCode::kInvalidInput, where + ": " + error.what()};
  }
}

}  // namespace

std::string requests_to_jsonl(const std::vector<RequestRecord>& records) {
  const auto dump = [](const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  };
  std::string text = dump({{"schema", kSchema}, {"requests", records.size()}});
  for (const RequestRecord& record : records) {
    text += dump(record_to_json(record));
  }
  return text;
}

Result<std::vector<RequestRecord>> parse_requests_jsonl(std::string_view text) {
  SGLEXP_TRY(const std::size_t promised, parse_head(take_line(text)));
  std::vector<RequestRecord> records;
  for (std::size_t number = 2; !text.empty(); ++number) {
    SGLEXP_TRY(RequestRecord record, parse_line(take_line(text), number));
    records.push_back(std::move(record));
  }
  if (records.size() != promised) {
    return Error{ErrorCode::kInvalidInput, "holds " + std::to_string(records.size()) + " of the " +
                                               std::to_string(promised) +
                                               " requests that line 1 promises: the file was cut"};
  }
  return records;
}

Status write_requests_file(const std::string& path, const std::vector<RequestRecord>& records) {
  return write_file_atomic(path, requests_to_jsonl(records));
}

Result<std::vector<RequestRecord>> read_requests_file(const std::string& path) {
  SGLEXP_TRY(const std::string text, read_file(path));
  auto records = parse_requests_jsonl(text);
  if (!records.ok()) {
    return with_context(records.error(), path);
  }
  return records;
}

}  // namespace sglexp
