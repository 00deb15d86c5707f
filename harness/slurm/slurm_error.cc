// SPDX-License-Identifier: Apache-2.0
#include "harness/slurm/slurm_error.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {
namespace {

// The request may have reached the controller although no answer came back.
constexpr std::array<std::string_view, 5> kUnknownOutcome = {
    "Socket timed out", "Zero Bytes were transmitted or received", "Connection timed out",
    "Connection reset by peer", "Unexpected message received"};

// The request was not taken.
constexpr std::array<std::string_view, 15> kTransient = {
    "Unable to contact slurm controller",
    "connect failure",
    "Connection refused",
    "No route to host",
    "Rate limit exceeded",
    "Requested nodes are busy",
    "try again",
    "backup controller in standby mode",
    "System submissions disabled",
    "Munge encode failed",
    "Protocol authentication error",
    "Resource temporarily unavailable",
    "Unable to establish configuration source",
    "Could not establish a configuration source",
    "DNS SRV lookup failed"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kRemedies = {{
    {"nvalid partition", "set `partition` in the cluster profile to one that `sinfo -s` lists"},
    {"invalid partition or qos", "check `partition` and `qos` in the cluster profile"},
    {"Invalid qos",
     "set `qos` in the cluster profile; `sacctmgr show assoc user=$USER` lists yours"},
    {"Invalid account",
     "set `account` in the cluster profile; `sacctmgr show assoc user=$USER` lists yours"},
    {"not permitted to use this partition", "choose a partition that your group may use"},
    {"Requested node configuration is not available",
     "no node has what was asked for; compare GPUs, CPUs and memory with `sinfo -N -o '%N %c %m "
     "%G'`"},
    {"Invalid generic resource", "name the GPUs as `sinfo -o %G` does"},
    {"Invalid GRES", "name the GPUs as `sinfo -o %G` does, everywhere with the type or without"},
    {"Requested time limit is invalid", "shorten the time limit"},
    {"Invalid --time", "write the time limit as HH:MM:SS"},
    {"Job violates accounting/QOS policy",
     "the job asks for more than the account or QOS may have; ask for less or use another QOS"},
    {"Requested reservation is invalid",
     "check `reservation` in the cluster profile: `scontrol show res`"},
    {"DOS line breaks", "remove the carriage returns from the setup lines of the cluster profile"},
    {"More processors requested than permitted", "ask for fewer CPUs"},
    {"unrecognized option", "remove the option from `sbatch_args` in the cluster profile"},
}};

template <std::size_t N>
bool mentions(std::string_view text, const std::array<std::string_view, N>& phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
    return text.find(phrase) != std::string_view::npos;
  });
}

std::string how_it_ended(const Completed& completed) {
  return completed.timed_out ? "no answer in time" : completed.status.describe();
}

}  // namespace

std::string slurm_message(std::string_view err) {
  std::vector<std::string> lines;
  for (const std::string& raw : split(err, '\n')) {
    std::string_view line = trim(raw);
    if (const std::size_t mark = line.find(": error: "); mark != std::string_view::npos) {
      line.remove_prefix(mark + std::string_view(": error: ").size());
    }
    if (!line.empty()) {
      lines.emplace_back(line);
    }
  }
  return printable(join(lines, "; "), 600);
}

bool says_unknown_job(std::string_view err) {
  return err.find("Invalid job id specified") != std::string_view::npos;
}

Error query_error(const std::string& program, const Completed& completed) {
  const std::string said = slurm_message(completed.err);
  return {ErrorCode::kUnavailable, fmt::format("{}: {}{}{}", program, how_it_ended(completed),
                                               said.empty() ? "" : ": ", said)};
}

Error submit_error(const Completed& completed) {
  const std::string said = slurm_message(completed.err);
  const bool silent = said.empty() || completed.status.signal != 0;
  if (completed.timed_out || silent || completed.status.success() ||
      mentions(said, kUnknownOutcome)) {
    return {
        ErrorCode::kTimedOut,
        fmt::format("sbatch: {}{}{}; the job may have been queued all the same: look for it before "
                    "submitting again",
                    how_it_ended(completed), said.empty() ? "" : ": ", said)};
  }
  if (mentions(said, kTransient)) {
    return {ErrorCode::kUnavailable, fmt::format("sbatch: {}; try again later", said)};
  }
  const auto* remedy = std::find_if(kRemedies.begin(), kRemedies.end(), [&](const auto& entry) {
    return said.find(entry.first) != std::string::npos;
  });
  return {ErrorCode::kInvalidInput,
          fmt::format("Slurm refused the job: {}{}{}", said, remedy == kRemedies.end() ? "" : "; ",
                      remedy == kRemedies.end() ? "" : remedy->second)};
}

}  // namespace sglexp
