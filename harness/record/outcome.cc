// SPDX-License-Identifier: Apache-2.0
#include "harness/record/outcome.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sglexp {

namespace {

struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
  std::string_view sentence;
  ExitCode code;
};

constexpr std::array kOutcomes = {
    OutcomeRow{Outcome::kPassed, "passed", "nothing regressed", ExitCode::kOk},
    OutcomeRow{Outcome::kRegressed, "regressed", "a gate got worse", ExitCode::kRegression},
    OutcomeRow{Outcome::kInconclusive, "inconclusive", "a gate could not be decided",
               ExitCode::kInconclusive},
    OutcomeRow{Outcome::kUsage, "usage", "the command, scenario, profile or database is wrong",
               ExitCode::kUsage},
    OutcomeRow{Outcome::kQueueTimeout, "queue_timeout", "Slurm did not start the job in time",
               ExitCode::kInfrastructure},
    OutcomeRow{Outcome::kInfrastructure, "infrastructure", "Slurm or a node failed",
               ExitCode::kInfrastructure},
    OutcomeRow{Outcome::kEnvironment, "environment", "a required environment check failed",
               ExitCode::kFunctional},
    OutcomeRow{Outcome::kStartup, "startup", "an engine process did not start",
               ExitCode::kFunctional},
    OutcomeRow{Outcome::kUnhealthy, "unhealthy",
               "an engine process never truly served, or stopped serving", ExitCode::kFunctional},
    OutcomeRow{Outcome::kLoadFailed, "load_failed", "requests failed under load",
               ExitCode::kFunctional},
    OutcomeRow{Outcome::kInvalid, "invalid", "the measurement cannot be trusted",
               ExitCode::kFunctional},
    OutcomeRow{Outcome::kCancelled, "cancelled", "the job was cancelled by someone else",
               ExitCode::kInfrastructure},
    OutcomeRow{Outcome::kInternal, "internal", "sglexp itself failed: please report this",
               ExitCode::kInfrastructure},
};

const OutcomeRow& row(Outcome outcome) {
  return *std::find_if(kOutcomes.begin(), kOutcomes.end(),
                       [&](const OutcomeRow& r) { return r.outcome == outcome; });
}

// 0 is the mildest. Order of the exit codes: 130 > 2 > 5 > 4 > 1 > 3 > 0.
int severity(ExitCode code) {
  constexpr std::array kMildestFirst = {
      ExitCode::kOk,          ExitCode::kInconclusive,   ExitCode::kRegression,
      ExitCode::kFunctional,  ExitCode::kInfrastructure, ExitCode::kUsage,
      ExitCode::kInterrupted,
  };
  return static_cast<int>(std::find(kMildestFirst.begin(), kMildestFirst.end(), code) -
                          kMildestFirst.begin());
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  return row(outcome).name;
}

std::optional<Outcome> parse_outcome(std::string_view name) {
  for (const OutcomeRow& r : kOutcomes) {
    if (r.name == name) {
      return r.outcome;
    }
  }
  return std::nullopt;
}

std::string_view outcome_sentence(Outcome outcome) {
  return row(outcome).sentence;
}

ExitCode exit_code(Outcome outcome, const ExitPolicy& policy) {
  if (outcome == Outcome::kInconclusive && !policy.fail_on_inconclusive) {
    return ExitCode::kOk;
  }
  return row(outcome).code;
}

ExitCode worst(ExitCode a, ExitCode b) {
  return severity(b) > severity(a) ? b : a;
}

Outcome worst(Outcome a, Outcome b) {
  return severity(row(b).code) > severity(row(a).code) ? b : a;
}

}  // namespace sglexp
