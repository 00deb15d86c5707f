// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judgement.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/stats/normal.h"
#include "harness/stats/sample_size.h"

namespace sglexp {
namespace {

PowerOptions power_options(const Evidence& e) {
  PowerOptions options;
  options.alpha = e.alpha;
  options.tests = e.tests;
  options.most = e.most_advice;
  return options;
}

int family_floor(const Evidence& e) {
  return e.paired ? paired_floor(power_options(e)) : unpaired_floor(power_options(e));
}

const char* unit(const Evidence& e) {
  return e.paired ? "blocks" : "trials per arm";
}

std::string percent(double fraction) {
  return fmt::format("{:.3g} %", 100 * fraction);
}

// How many runs an effect this close to the margin needs before a 90 % interval no longer holds it.
double runs_to_leave_margin(const Evidence& e) {
  const double distance = std::abs(e.margin - std::abs(e.effect));
  const double arms = e.paired ? 1 : 2;
  const double z = normal_quantile(0.95) * *e.sd / distance;
  return distance > 0 ? arms * z * z : HUGE_VAL;
}

Judgement below_floor(const Evidence& e) {
  const int wanted = std::max(least_runs(e.paired), family_floor(e));
  return {Verdict::kInconclusive,
          fmt::format("{} {} are below the floor, need at least {}", e.n, unit(e), wanted),
          wanted - e.n};
}

Judgement advise(const Evidence& e, const std::string& why, int wanted) {
  if (wanted > e.most_advice) {
    return {Verdict::kInconclusive,
            fmt::format("{}: not resolvable with up to {} {}", why, e.most_advice, unit(e)),
            std::nullopt};
  }
  return {Verdict::kInconclusive, why, std::max(1, wanted - e.n)};
}

Judgement inconclusive(const Evidence& e) {
  const int floor = family_floor(e);
  if (e.n < floor) {
    return advise(
        e, fmt::format("Holm over {} tests needs at least {} {}", e.tests, floor, unit(e)), floor);
  }
  if (!e.sd || !(e.margin > 0)) {
    return {Verdict::kInconclusive,
            "no relative margin to judge by: the margin or the base's median is 0", std::nullopt};
  }
  // margin is a logarithm; the sample-size functions take the relative margin.
  const double relative = std::expm1(e.margin);
  const auto advice = e.paired ? paired_sample_size(*e.sd, relative, power_options(e))
                               : unpaired_sample_size(*e.sd, relative, power_options(e));
  if (advice && advice->n > e.n) {
    return advise(e,
                  fmt::format("noise: {} {}, need about {} {} to see {}",
                              e.paired ? "block ratios vary by" : "CV", percent(*e.sd), advice->n,
                              unit(e), percent(relative)),
                  advice->n);
  }
  const double wanted = std::ceil(std::min(runs_to_leave_margin(e), 1e6));
  return advise(e, fmt::format("the effect lies near the margin of {}", percent(relative)),
                std::max(e.n + 1, static_cast<int>(wanted)));
}

}  // namespace

int least_runs(bool paired) {
  return paired ? 6 : 4;
}

Judgement judge(const Evidence& e) {
  if (e.n < least_runs(e.paired)) {
    return below_floor(e);
  }
  if (e.identical) {
    return {Verdict::kNoChange, "base and candidate are equal throughout", std::nullopt};
  }
  const bool significant = e.p <= e.alpha;
  if (significant && e.effect >= e.margin) {
    const bool sure = e.interval95 && e.interval95->low > e.margin;
    return {Verdict::kWorse, sure ? "confirmed over margin" : "", std::nullopt};
  }
  if (significant && e.effect <= -e.margin) {
    const bool sure = e.interval95 && e.interval95->high < -e.margin;
    return {Verdict::kBetter, sure ? "confirmed over margin" : "", std::nullopt};
  }
  if (e.interval90 && e.interval90->low > -e.margin && e.interval90->high < e.margin) {
    return {Verdict::kNoChange, significant ? "detectable, below margin" : "", std::nullopt};
  }
  return inconclusive(e);
}

}  // namespace sglexp
