// SPDX-License-Identifier: Apache-2.0
#include "harness/health/log_cause.h"

#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "harness/health/log_lines.h"
#include "harness/health/log_patterns.h"

namespace sglexp {

namespace {

constexpr std::string_view kRendezvousBegin = "Init torch distributed begin.";
constexpr std::string_view kRendezvousEnd = "Init torch distributed ends.";

struct Candidate {
  const LogPattern* pattern = nullptr;
  std::string stamp;
  std::string line;
  int number = 0;
};

// Whether b, from the same or a later file, explains the failure better than a.
bool better(const Candidate& b, const Candidate& a) {
  if (b.pattern->rank != a.pattern->rank) {
    return b.pattern->rank < a.pattern->rank;
  }
  return !a.stamp.empty() && !b.stamp.empty() && b.stamp < a.stamp;
}

// Goes through one log and keeps its best candidate.
class LogScan {
 public:
  void take(std::string_view raw, int number) {
    strip_ansi(raw, line_);
    if (std::string stamp = log_time_stamp(line_); !stamp.empty()) {
      stamp_ = std::move(stamp);
    }
    if (in_traceback_ && leaves_traceback(number)) {
      return;
    }
    count_rendezvous(number);
    const LogPattern* pattern = match_log_line(line_);
    if (pattern == nullptr || pattern->rank == CauseRank::kHarmless ||
        pattern->any_of[0] == kRendezvousBegin) {
      return;
    }
    if (pattern->opens_traceback) {
      if (!in_traceback_) {
        traceback_pattern_ = pattern;
      }
      in_traceback_ = true;
      return;
    }
    offer({pattern, stamp_, line_, number});
  }

  std::optional<Candidate> finish() {
    if (in_traceback_) {  // cut off before its last line
      offer({traceback_pattern_, stamp_, line_, last_number_});
    }
    if (rendezvous_open_ > 0) {
      offer(std::move(rendezvous_));
    }
    return std::move(best_);
  }

 private:
  // The frames of a traceback are indented; the first line that is not names the exception. True if
  // that line needs no further look.
  bool leaves_traceback(int number) {
    last_number_ = number;
    const bool inside = line_.empty() || line_[0] == ' ' || line_[0] == '\t' ||
                        line_.find("Traceback (most recent call last)") != std::string::npos;
    if (inside) {
      return true;
    }
    in_traceback_ = false;
    const LogPattern* known = match_log_line(line_);
    if (known != nullptr && known->rank <= CauseRank::kSymptom) {
      return false;
    }
    offer({traceback_pattern_, stamp_, line_, number});
    return true;
  }

  void count_rendezvous(int number) {
    if (line_.find(kRendezvousBegin) != std::string::npos) {
      if (rendezvous_open_++ == 0) {
        rendezvous_ = {match_log_line(line_), stamp_, line_, number};
      }
    } else if (line_.find(kRendezvousEnd) != std::string::npos) {
      --rendezvous_open_;
    }
  }

  void offer(Candidate candidate) {
    if (!best_ || better(candidate, *best_)) {
      best_ = std::move(candidate);
    }
  }

  std::string line_;
  std::string stamp_;
  std::optional<Candidate> best_;
  bool in_traceback_ = false;
  const LogPattern* traceback_pattern_ = nullptr;
  int last_number_ = 0;
  int rendezvous_open_ = 0;  // ranks that began and have not ended
  Candidate rendezvous_;
};

}  // namespace

std::optional<LogCause> find_cause(const std::vector<std::string>& log_paths) {
  std::optional<Candidate> best;
  std::string best_path;
  for (const std::string& path : log_paths) {
    LogScan scan;
    each_log_line(path, [&](std::string_view line, int number) { scan.take(line, number); });
    auto candidate = scan.finish();
    if (candidate && (!best || better(*candidate, *best))) {
      best = std::move(candidate);
      best_path = path;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  LogCause cause;
  cause.pattern_id = best->pattern->id;
  cause.cause = best->pattern->cause;
  cause.remedy = best->pattern->remedy;
  cause.line = printable(best->line);
  cause.log_path = best_path;
  cause.line_number = best->number;
  return cause;
}

std::string last_log_line(const std::string& log_path) {
  std::string last;
  std::string plain;
  each_log_line(log_path, [&](std::string_view line, int /*number*/) {
    strip_ansi(line, plain);
    if (!trim(plain).empty()) {
      last = plain;
    }
  });
  return printable(trim(last));
}

}  // namespace sglexp
