// SPDX-License-Identifier: Apache-2.0
#include "harness/run/poll_pace.h"

#include <algorithm>

namespace sglexp {

namespace {

constexpr Nanos kFirstStep = Millis(500);
constexpr Nanos kLongestSilence = Seconds(300);
constexpr double kSpread = 0.2;

}  // namespace

void PollPace::answered(TimePoint now) {
  silence_ = Nanos(0);
  wait(now, step_.value_or(period_));
  if (step_) {
    step_ = std::min<Nanos>(*step_ * 2, period_);
  }
}

void PollPace::unanswered(TimePoint now) {
  silence_ = std::clamp<Nanos>(silence_ * 2, period_, std::max<Nanos>(period_, kLongestSilence));
  wait(now, silence_);
}

void PollPace::hurry(TimePoint now, Nanos first) {
  next_ = now + std::min<Nanos>(first, period_);
  step_ = std::min<Nanos>(kFirstStep, period_);
}

void PollPace::wait(TimePoint now, Nanos duration) {
  const double spread = static_cast<double>(duration.count()) * kSpread * jitter_.uniform();
  next_ = now + duration + Nanos(static_cast<std::int64_t>(spread));
}

}  // namespace sglexp
