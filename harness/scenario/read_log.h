// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/scenario/yaml_node.h"

namespace sglexp {

// What reading one file found.
class ReadLog {
 public:
  // One known field. `path` is general: "arms.*.placement.policy", "load.points[].name".
  struct Field {
    std::string path;
    std::string type;  // "integer", "duration", "choice" ...
    bool required = false;
  };

  explicit ReadLog(std::string file) : file_(std::move(file)) {}
  // A log that sends every reader through all of its sections, with no file: to list the fields.
  [[nodiscard]] static ReadLog describing();
  [[nodiscard]] bool is_describing() const { return describing_; }

  void problem(const SourceMark& mark, const std::string& path, std::string text);
  // The same at the place where `path` was read, or else where its nearest parent was.
  void problem_at(const std::string& path, std::string text);
  void add(std::vector<Problem> problems);
  void saw(const std::string& path, const SourceMark& mark) { marks_[path] = mark; }
  [[nodiscard]] bool has(const std::string& path) const { return marks_.contains(path); }
  // No problem at or below this path: rules that combine fields need that.
  [[nodiscard]] bool clean(std::string_view path) const;
  [[nodiscard]] bool clean() const { return problems_.empty(); }

  void field(const std::string& path, std::string_view type);
  void require(const std::string& path);
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

  // All problems, one a line, in file order: "FILE:LINE:COLUMN: text" or "--set KEY=VALUE: text".
  [[nodiscard]] Error error() const;

 private:
  std::string file_;
  bool describing_ = false;
  std::vector<Problem> problems_;
  std::map<std::string, SourceMark> marks_;
  std::vector<Field> fields_;
};

}  // namespace sglexp
