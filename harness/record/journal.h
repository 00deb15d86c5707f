// SPDX-License-Identifier: Apache-2.0
// The append-only journal of a job: one JSON object a line, fsynced before append() returns.
// One writer (the agent); any number of readers, also over a shared file system.
//
// Every line has "seq" (from 0, without gaps), "utc" and "type"; the rest depends on the type:
//   job_started      job_id, nodes[], plan_digest
//   phase            phase, slot (-1 outside slots)   what the agent is doing now
//   node_report      node, file                       file: NodeReport
//   checks           file                             all verdicts, cross-node ones included
//   slot_started     slot, arm, block
//   slot_ready       slot, seconds, stages[]
//   trial_finished   key, file                        file: TrialRecord
//   slot_failed      slot, failure
//   postflight       leftovers[]
//   job_finished     outcome, failure|null            nothing follows
// Files are relative to the run directory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/sys/clock.h"

namespace sglexp {

class JournalWriter {
 public:
  // Creates the file or goes on after its last whole line; a torn last line is cut off first.
  [[nodiscard]] static Result<JournalWriter> open(const std::string& path, const Clock& clock);
  JournalWriter(JournalWriter&& other) noexcept;
  JournalWriter& operator=(JournalWriter&&) = delete;
  ~JournalWriter();

  // `members_json` is a JSON object with the type's own members, or "".
  [[nodiscard]] Status append(std::string_view type, const std::string& members_json);

 private:
  JournalWriter(int fd, std::int64_t next_seq, std::string path, const Clock& clock);
  int fd_;
  std::int64_t next_seq_;
  std::string path_;
  const Clock& clock_;
};

struct JournalEntry {
  std::int64_t seq = 0;
  std::string utc;
  std::string type;
  std::string json;  // the whole line
};

// Follows a journal from where it stopped last time. A last line without its newline is left for
// the next call; a whole line that is not JSON, or out of sequence, is an Error.
class JournalReader {
 public:
  explicit JournalReader(std::string path) : path_(std::move(path)) {}
  // Whole new lines since the last call; none if the file does not exist yet.
  [[nodiscard]] Result<std::vector<JournalEntry>> read_new();

 private:
  std::string path_;
  std::uint64_t offset_ = 0;
  std::int64_t next_seq_ = 0;
};

}  // namespace sglexp
