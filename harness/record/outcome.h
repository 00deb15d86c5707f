// SPDX-License-Identifier: Apache-2.0
// Typed ends of trials, jobs and runs, the words for them, and the exit code each one means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sglexp {

enum class Outcome {
  kPassed,
  kRegressed,       // a gate that fails the run got worse
  kInconclusive,    // a gate could not be decided
  kUsage,           // command line, scenario, profile or database
  kQueueTimeout,    // Slurm did not start the job within the pending budget
  kInfrastructure,  // Slurm or a node failed: not the engine's doing
  kEnvironment,     // a required check failed or could not be measured
  kStartup,         // a worker or router did not come up
  kUnhealthy,       // came up, but never truly served, or stopped serving
  kLoadFailed,      // requests failed
  kInvalid,         // measured, but not to be trusted (client saturated, record incomplete ...)
  kCancelled,       // by the user or by someone else
  kInternal,        // a bug in sglexp
};

// "queue_timeout" and so on: used in SQL, JSON and reports alike.
[[nodiscard]] std::string_view outcome_name(Outcome outcome);
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view name);
// One sentence for people: "the engine did not start".
[[nodiscard]] std::string_view outcome_sentence(Outcome outcome);

// Process exit codes. `main` is the only caller of exit().
enum class ExitCode : int {
  kOk = 0,
  kRegression = 1,
  kUsage = 2,
  kInconclusive = 3,
  kFunctional = 4,
  kInfrastructure = 5,
  kInterrupted = 130,  // the user's own Ctrl-C
};

struct ExitPolicy {
  bool fail_on_inconclusive = false;  // --fail-on inconclusive
};
[[nodiscard]] ExitCode exit_code(Outcome outcome, const ExitPolicy& policy = {});
// Precedence 130 > 2 > 5 > 4 > 1 > 3 > 0.
[[nodiscard]] ExitCode worst(ExitCode a, ExitCode b);
// The outcome whose exit code takes precedence; the first of equals, since the first cause matters.
[[nodiscard]] Outcome worst(Outcome a, Outcome b);

// Why something failed, told once, where it was first seen. Every field is plain text for people.
struct Failure {
  Outcome outcome = Outcome::kInternal;
  std::string what;      // "worker w1 exited during start-up (exit code 1)"
  std::string node;      // node name, empty where no node is involved
  std::string phase;     // probe, place, launch, ready, warmup, load, collect, teardown, queue ...
  std::string cause;     // first causal fact, not the last consequence
  std::string evidence;  // the line or value that shows it
  std::string remedy;    // what to do
  std::string files;     // path to look at
};

}  // namespace sglexp
