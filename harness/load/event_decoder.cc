// SPDX-License-Identifier: Apache-2.0
#include "harness/load/event_decoder.h"

#include <simdjson.h>

#include <limits>

#include "harness/http/sse_parser.h"

namespace sglexp {

namespace {

namespace ondemand = simdjson::ondemand;

static_assert(SseParser::kPadding >= simdjson::SIMDJSON_PADDING);

// The readers return false where the value has another type than the protocol says. null is "not
// said" everywhere: servers differ in whether they write it or leave the key out.

bool read_count(ondemand::value value, std::int32_t& count) {
  bool null = false;
  if (value.is_null().get(null) == simdjson::SUCCESS && null) {
    return true;
  }
  std::int64_t number = 0;
  if (value.get_int64().get(number) != simdjson::SUCCESS || number < 0 ||
      number > std::numeric_limits<std::int32_t>::max()) {
    return false;
  }
  count = static_cast<std::int32_t>(number);
  return true;
}

bool read_text(ondemand::value value, std::string_view& text) {
  bool null = false;
  if (value.is_null().get(null) == simdjson::SUCCESS && null) {
    return true;
  }
  return value.get_string().get(text) == simdjson::SUCCESS;
}

// Calls take(key, value) for every field; stops at the first false.
template <typename Take>
bool each_field(ondemand::value value, Take&& take) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return false;
  }
  for (auto item : object) {
    ondemand::field field;
    std::string_view key;
    if (std::move(item).get(field) != simdjson::SUCCESS ||
        field.unescaped_key().get(key) != simdjson::SUCCESS || !take(key, field.value())) {
      return false;
    }
  }
  return true;
}

ondemand::json_type type_of(ondemand::value value) {
  ondemand::json_type type = ondemand::json_type::null;
  if (value.type().get(type) != simdjson::SUCCESS) {
    type = ondemand::json_type::null;
  }
  return type;
}

// A string, or an object whose "type" names it and whose "message" explains an abort.
bool read_finish_reason(ondemand::value value, DecodedEvent& event) {
  std::string_view reason;
  bool ok = false;
  if (type_of(value) == ondemand::json_type::object) {
    ok = each_field(value, [&](std::string_view key, ondemand::value inner) {
      if (key == "type") {
        return read_text(inner, reason);
      }
      return key != "message" || read_text(inner, event.error);
    });
  } else {
    ok = read_text(value, reason);
  }
  event.finish_reason = reason;
  event.failed = event.failed || reason == "abort";
  return ok;
}

bool read_error(ondemand::value value, DecodedEvent& event) {
  switch (type_of(value)) {
    case ondemand::json_type::null:
      return true;
    case ondemand::json_type::object:
      event.failed = true;
      return each_field(value, [&](std::string_view key, ondemand::value inner) {
        return key != "message" || read_text(inner, event.error);
      });
    default:
      event.failed = true;
      return read_text(value, event.error);
  }
}

bool read_meta_info(ondemand::value value, DecodedEvent& event) {
  return each_field(value, [&](std::string_view key, ondemand::value inner) {
    if (key == "completion_tokens") {
      return read_count(inner, event.completion_tokens);
    }
    if (key == "prompt_tokens") {
      return read_count(inner, event.prompt_tokens);
    }
    if (key == "cached_tokens") {
      return read_count(inner, event.cached_tokens);
    }
    return key != "finish_reason" || read_finish_reason(inner, event);
  });
}

bool read_usage(ondemand::value value, DecodedEvent& event) {
  if (type_of(value) == ondemand::json_type::null) {
    return true;
  }
  return each_field(value, [&](std::string_view key, ondemand::value inner) {
    if (key == "completion_tokens") {
      return read_count(inner, event.completion_tokens);
    }
    if (key == "prompt_tokens") {
      return read_count(inner, event.prompt_tokens);
    }
    if (key != "prompt_tokens_details" || type_of(inner) == ondemand::json_type::null) {
      return true;
    }
    return each_field(inner, [&](std::string_view detail, ondemand::value count) {
      return detail != "cached_tokens" || read_count(count, event.cached_tokens);
    });
  });
}

bool read_output(ondemand::value value, DecodedEvent& event, bool is_content) {
  std::string_view text;
  if (!read_text(value, text)) {
    return false;
  }
  event.has_output = event.has_output || !text.empty();
  // One text an event is enough: servers never send content and reasoning of one token together.
  if (!text.empty() && (is_content || event.text.empty())) {
    event.text = text;
  }
  return true;
}

bool read_delta(ondemand::value value, DecodedEvent& event) {
  return each_field(value, [&](std::string_view key, ondemand::value inner) {
    if (key == "content") {
      return read_output(inner, event, true);
    }
    if (key == "reasoning_content" || key == "reasoning") {
      return read_output(inner, event, false);
    }
    if (key == "tool_calls" && type_of(inner) == ondemand::json_type::array) {
      event.has_output = true;
    }
    return true;
  });
}

bool read_choices(ondemand::value value, DecodedEvent& event) {
  ondemand::array choices;
  if (value.get_array().get(choices) != simdjson::SUCCESS) {
    return false;
  }
  for (auto item : choices) {
    ondemand::value choice;
    if (std::move(item).get(choice) != simdjson::SUCCESS) {
      return false;
    }
    event.has_choices = true;
    const bool ok = each_field(choice, [&](std::string_view key, ondemand::value inner) {
      if (key == "text") {
        return read_output(inner, event, true);
      }
      if (key == "delta") {
        return read_delta(inner, event);
      }
      return key != "finish_reason" || read_finish_reason(inner, event);
    });
    if (!ok) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct EventDecoder::Parser {
  ondemand::parser json;
  ondemand::document document;

  // Which parts of the protocol the event held.
  bool has_body = false;
  bool is_error_object = false;
  std::string_view message;

  bool take(LoadApi api, std::string_view key, ondemand::value value, DecodedEvent& event) {
    if (key == "error") {
      return read_error(value, event);
    }
    if (key == "object") {
      std::string_view kind;
      const bool ok = read_text(value, kind);
      is_error_object = kind == "error";
      return ok;
    }
    if (key == "message") {
      return read_text(value, message);
    }
    return api == LoadApi::kGenerate ? take_generate(key, value, event)
                                     : take_openai(key, value, event);
  }

  bool take_generate(std::string_view key, ondemand::value value, DecodedEvent& event) {
    if (key == "meta_info") {
      has_body = true;
      event.has_choices = true;
      return read_meta_info(value, event);
    }
    if (key == "text" && type_of(value) == ondemand::json_type::string) {
      // Not unescaped: cumulative text would cost O(n^2) for nothing.
      event.text_bytes = value.raw_json_token().size();
      event.has_output = event.text_bytes > 2;
    }
    return true;
  }

  bool take_openai(std::string_view key, ondemand::value value, DecodedEvent& event) {
    if (key == "choices") {
      has_body = true;
      return read_choices(value, event);
    }
    if (key == "usage") {
      has_body = true;
      return read_usage(value, event);
    }
    return true;
  }

  // On-demand parsing stops after the value; what follows it must be nothing.
  bool at_end() { return document.current_location().error() == simdjson::OUT_OF_BOUNDS; }

  bool read_final_text(DecodedEvent& event) {
    document.rewind();
    ondemand::value text;
    if (document.find_field_unordered("text").get(text) != simdjson::SUCCESS) {
      return true;  // a server without text (skip_tokenizer_init)
    }
    return read_text(text, event.text);
  }
};

EventDecoder::EventDecoder(LoadApi api) : api_(api), parser_(std::make_unique<Parser>()) {}
EventDecoder::~EventDecoder() = default;

bool EventDecoder::decode(std::string_view data, DecodedEvent& event) {
  event = {};
  if (data == "[DONE]") {
    event.done = true;
    return true;
  }
  Parser& parser = *parser_;
  parser.has_body = parser.is_error_object = false;
  parser.message = {};
  const simdjson::padded_string_view padded(data, data.size() + SseParser::kPadding);
  ondemand::value root;
  if (parser.json.iterate(padded).get(parser.document) != simdjson::SUCCESS ||
      parser.document.get_value().get(root) != simdjson::SUCCESS) {
    return false;
  }
  const bool ok = each_field(root, [&](std::string_view key, ondemand::value value) {
    return parser.take(api_, key, value, event);
  });
  if (!ok || !parser.at_end()) {
    return false;
  }
  if (parser.is_error_object) {
    event.failed = true;
    event.error = parser.message;
  }
  if (api_ == LoadApi::kGenerate && !event.finish_reason.empty() && !event.failed) {
    return parser.read_final_text(event);
  }
  return parser.has_body || event.failed;
}

}  // namespace sglexp
