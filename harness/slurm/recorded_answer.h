// SPDX-License-Identifier: Apache-2.0
// Tests only: an answer of a real Slurm, as fixtures/slurm_cluster/record wrote it.
#pragma once

#include <cstdlib>
#include <string>

#include "harness/sys/files.h"
#include "harness/sys/process.h"

namespace sglexp {

// fixtures/slurm/<version>/<name>.txt; a missing or misshapen file aborts the test program.
inline Completed recorded_answer(const std::string& name, const std::string& version = "22.05") {
  const auto text = read_file(std::string(SGLEXP_SOURCE_DIR) + "/fixtures/slurm/" + version + "/" +
                              name + ".txt");
  const std::string out_mark = "\n--- stdout\n";
  const std::string err_mark = "--- stderr\n";
  const std::size_t rc = text.ok() ? text->find("\nrc ") : std::string::npos;
  const std::size_t out = text.ok() ? text->find(out_mark) : std::string::npos;
  const std::size_t err = text.ok() ? text->find(err_mark) : std::string::npos;
  if (rc == std::string::npos || out == std::string::npos || err == std::string::npos) {
    std::abort();
  }
  Completed completed;
  completed.status.code = std::atoi(text->c_str() + rc + 4);
  completed.out = text->substr(out + out_mark.size(), err - out - out_mark.size());
  completed.err = text->substr(err + err_mark.size());
  return completed;
}

}  // namespace sglexp
