// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/read_log.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

namespace sglexp {

namespace {

// Is `inner` the same place as `outer`, or below it?
bool lies_within(std::string_view inner, std::string_view outer) {
  return outer.empty() ||
         (inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.'));
}

}  // namespace

ReadLog ReadLog::describing() {
  ReadLog log("");
  log.describing_ = true;
  return log;
}

void ReadLog::problem(const SourceMark& mark, const std::string& path, std::string text) {
  if (!describing_) {
    problems_.push_back({mark, path, std::move(text)});
  }
}

void ReadLog::problem_at(const std::string& path, std::string text) {
  std::string place = path;
  auto found = marks_.find(place);
  while (found == marks_.end() && !place.empty()) {
    const std::size_t dot = place.rfind('.');
    place.resize(dot == std::string::npos ? 0 : dot);
    found = marks_.find(place);
  }
  problem(found == marks_.end() ? SourceMark{1, 1, ""} : found->second, path, std::move(text));
}

void ReadLog::add(std::vector<Problem> problems) {
  std::move(problems.begin(), problems.end(), std::back_inserter(problems_));
}

bool ReadLog::clean(std::string_view path) const {
  return std::none_of(problems_.begin(), problems_.end(), [&](const Problem& problem) {
    // Without a path it is about the text, not about a value: duplicate keys, anchors ...
    return !problem.path.empty() &&
           (lies_within(problem.path, path) || lies_within(path, problem.path));
  });
}

void ReadLog::field(const std::string& path, std::string_view type) {
  const auto same = [&](const Field& field) { return field.path == path; };
  if (describing_ && std::none_of(fields_.begin(), fields_.end(), same)) {
    fields_.push_back({path, std::string(type), false});
  }
}

void ReadLog::require(const std::string& path) {
  for (Field& field : fields_) {
    field.required = field.required || field.path == path;
  }
}

Error ReadLog::error() const {
  std::vector<Problem> sorted = problems_;
  // Flags have line 0 and come first: the user typed them last and looks for them first.
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.mark.line, a.mark.column) < std::tie(b.mark.line, b.mark.column);
  });
  std::string text;
  for (const Problem& problem : sorted) {
    const SourceMark& mark = problem.mark;
    const std::string where =
        mark.flag.empty() ? fmt::format("{}:{}:{}", file_, mark.line, mark.column) : mark.flag;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", where, problem.text);
  }
  return {ErrorCode::kInvalidInput, text};
}

}  // namespace sglexp
