// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/parse_squeue.h"

#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "harness/slurm/job_state.h"

namespace sglexp {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 10 && std::all_of(text.begin(), text.end(), is_digit);
}

bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (begins && ends) {
      return true;
    }
  }
  return false;
}

// Cuts the text before the next '|' off the front; false if there is none.
bool take_field(std::string_view& line, std::string& field) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) {
    return false;
  }
  field = trim(line.substr(0, bar));
  line.remove_prefix(bar + 1);
  return true;
}

}  // namespace

bool is_job_id(std::string_view text) {
  const std::size_t mark = text.find_first_of("_+");
  return all_digits(text.substr(0, mark)) &&
         (mark == std::string_view::npos || all_digits(text.substr(mark + 1)));
}

std::vector<QueueRow> parse_queue(std::string_view out) {
  std::vector<QueueRow> rows;
  for (const std::string& text : split(out, '\n')) {
    std::string_view line = text;
    QueueRow row;
    if (take_field(line, row.id) && take_field(line, row.word) && take_field(line, row.hostlist) &&
        is_job_id(row.id)) {
      row.word = state_word(row.word);
      row.reason = trim(line);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<std::string> ids_with_token(std::string_view out, std::string_view token) {
  std::vector<std::string> ids;
  for (const std::string& text : split(out, '\n')) {
    std::string_view line = text;
    std::string id;
    if (take_field(line, id) && is_job_id(id) && holds_word(line, token) &&
        std::find(ids.begin(), ids.end(), id) == ids.end()) {
      ids.push_back(std::move(id));
    }
  }
  return ids;
}

}  // namespace sglexp
