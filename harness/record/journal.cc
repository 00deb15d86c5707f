// SPDX-License-Identifier: Apache-2.0
#include "harness/record/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

using nlohmann::json;

Error io_error(const std::string& path) {
  return {ErrorCode::kUnavailable, fmt::format("journal {}: {}", path, std::strerror(errno))};
}

Result<JournalEntry> parse_line(const std::string& line, std::int64_t expected_seq,
                                const std::string& path) {
  try {
    const json parsed = json::parse(line);
    JournalEntry entry{
        .seq = parsed.at("seq"), .utc = parsed.at("utc"), .type = parsed.at("type"), .json = line};
    if (entry.seq == expected_seq) {
      return entry;
    }
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("journal {}: line {} has seq {}: lines are missing or doubled", path,
                             expected_seq + 1, entry.seq)};
  } catch (const json::exception&) {
    return Error{ErrorCode::kInvalidInput,
                 fmt::format("journal {}: line {} is not a journal entry: {}", path,
                             expected_seq + 1, printable(line, 80))};
  }
}

}  // namespace

JournalWriter::JournalWriter(int fd, std::int64_t next_seq, std::string path, const Clock& clock)
    : fd_(fd), next_seq_(next_seq), path_(std::move(path)), clock_(clock) {}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      next_seq_(other.next_seq_),
      path_(std::move(other.path_)),
      clock_(other.clock_) {}

JournalWriter::~JournalWriter() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Result<JournalWriter> JournalWriter::open(const std::string& path, const Clock& clock) {
  std::string old;
  if (path_exists(path)) {
    SGLEXP_TRY(old, read_file(path));
  }
  JournalReader reader(path);
  SGLEXP_TRY(const std::vector<JournalEntry> entries, reader.read_new());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    return io_error(path);
  }
  JournalWriter writer(fd, static_cast<std::int64_t>(entries.size()), path, clock);
  const std::size_t whole = old.rfind('\n') == std::string::npos ? 0 : old.rfind('\n') + 1;
  if (whole < old.size() && ftruncate(fd, static_cast<off_t>(whole)) != 0) {
    return io_error(path);
  }
  return writer;
}

Status JournalWriter::append(std::string_view type, const std::string& members_json) {
  json entry = {{"seq", next_seq_}, {"utc", utc_text(clock_.wall_now())}, {"type", type}};
  try {
    if (!members_json.empty()) {
      entry.update(json::parse(members_json));
    }
  } catch (const json::exception& problem) {
    return Error{ErrorCode::kInternal, fmt::format("journal entry {}: {}", type, problem.what())};
  }
  const std::string line = entry.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  // One write: a reader sees the whole line or, after a crash, a torn one that it leaves alone.
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = write(fd_, line.data() + done, line.size() - done);
    if (n < 0 && errno != EINTR) {
      return io_error(path_);
    }
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  if (fsync(fd_) != 0) {
    return io_error(path_);
  }
  ++next_seq_;
  return Ok{};
}

Result<std::vector<JournalEntry>> JournalReader::read_new() {
  std::vector<JournalEntry> entries;
  const auto text = read_file_from(path_, offset_);
  if (!text.ok()) {
    if (text.error().code == ErrorCode::kNotFound) {
      return entries;
    }
    return text.error();
  }
  std::size_t begin = 0;
  for (std::size_t end = text->find('\n'); end != std::string::npos;
       end = text->find('\n', begin)) {
    SGLEXP_TRY(JournalEntry entry, parse_line(text->substr(begin, end - begin), next_seq_, path_));
    entries.push_back(std::move(entry));
    ++next_seq_;
    begin = end + 1;
  }
  offset_ += begin;
  return entries;
}

}  // namespace sglexp
