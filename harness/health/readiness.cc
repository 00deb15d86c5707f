// SPDX-License-Identifier: Apache-2.0
#include "harness/health/readiness.h"

#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "harness/health/endpoint_watch.h"
#include "harness/health/log_growth.h"
#include "harness/health/readiness_failure.h"

namespace sglexp {

namespace {

constexpr Nanos kFirstPause = Millis(50);
constexpr Nanos kLongestPause = Seconds(2);
constexpr Nanos kPauseSlice = Millis(200);
constexpr int kStreamAttempts = 3;
constexpr Nanos kStreamPause = Seconds(1);

std::vector<const WorkerEndpoint*> processes_of(const ReadinessTarget& target) {
  std::vector<const WorkerEndpoint*> all;
  for (const WorkerEndpoint& worker : target.workers) {
    all.push_back(&worker);
  }
  if (target.router) {
    all.push_back(&*target.router);
  }
  return all;
}

std::vector<std::string> logs_of(const ReadinessTarget& target) {
  std::vector<std::string> paths;
  for (const WorkerEndpoint* process : processes_of(target)) {
    paths.push_back(process->log_path);
  }
  return paths;
}

class Wait {
 public:
  Wait(const ReadinessTarget& target, HttpClient& http, Clock& clock,
       const ProcessEnded& process_ended, const StreamProbe& stream_probe,
       const std::function<bool()>& cancelled)
      : target_(target),
        http_(http),
        clock_(clock),
        process_ended_(process_ended),
        stream_probe_(stream_probe),
        cancelled_(cancelled),
        growth_(logs_of(target)),
        begin_(clock.now()),
        last_progress_(begin_) {
    std::vector<std::string> urls;
    for (const WorkerEndpoint& worker : target.workers) {
      workers_.emplace_back(worker);
      urls.push_back(worker.url);
    }
    if (target.router) {
      router_.emplace(*target.router, std::move(urls));
    }
  }

  Readiness run() {
    result_.ready = stage([this] { return workers_ready(); }) &&
                    (!router_ || stage([this] { return router_ready(); })) &&
                    stage([this] { return stream_ready(); }, kStreamPause);
    return std::move(result_);
  }

 private:
  // Repeats `step` until it is true. False: the wait is over, result_.failure says why.
  bool stage(const std::function<bool()>& step, Nanos first_pause = kFirstPause) {
    Nanos pause = first_pause;
    while (!over()) {
      const TimePoint moved_before = last_moved_;
      if (step()) {
        return true;
      }
      if (last_moved_ != moved_before) {
        pause = first_pause;  // from refused to 503: the next change is likely near
      }
      rest(pause);
      pause = std::min<Nanos>(pause * 3 / 2, kLongestPause);
    }
    return false;
  }

  void rest(Nanos pause) {
    const TimePoint until = std::min(clock_.now() + pause, begin_ + target_.deadline);
    while (clock_.now() < until && !interrupted()) {
      clock_.sleep_for(std::min<Nanos>(until - clock_.now(), kPauseSlice));
    }
  }

  // A failure was found, the user asked to stop, or a process ended.
  bool interrupted() {
    if (result_.failure) {
      return true;
    }
    if (cancelled_()) {
      result_.failure = cancelled_failure();
      return true;
    }
    for (const WorkerEndpoint* process : processes_of(target_)) {
      if (const auto how = process_ended_(process->name)) {
        fail_explained(ended_failure(*process, *how, was_up(*process)), *process);
        return true;
      }
    }
    return false;
  }

  // Interrupted, or one of the two limits has passed.
  bool over() {
    if (interrupted()) {
      return true;
    }
    if (growth_.advanced()) {
      last_progress_ = clock_.now();
    }
    const TimePoint now = clock_.now();
    if (now - begin_ >= target_.deadline) {
      fail_overdue("within " + describe_duration(target_.deadline),
                   "raise the readiness deadline, or find out why it takes so long");
    } else if (target_.no_progress > Nanos(0) && now - last_progress_ >= target_.no_progress) {
      fail_overdue("and nothing has moved for " + describe_duration(target_.no_progress),
                   "look at the end of its log; raise the no-progress limit if it is just slow");
    }
    return result_.failure.has_value();
  }

  [[nodiscard]] Nanos remaining() const { return begin_ + target_.deadline - clock_.now(); }

  void passed(const std::string& stage_name) {
    last_progress_ = clock_.now();
    result_.stages.push_back({stage_name, last_progress_ - begin_});
  }

  void take(WatchStep step) {
    if (step.moved) {
      last_progress_ = last_moved_ = clock_.now();
    }
    if (!step.passed.empty()) {
      passed(step.passed);
    }
    if (step.failure) {
      result_.failure = std::move(step.failure);
    }
  }

  bool workers_ready() {
    for (WorkerWatch& worker : workers_) {
      bool moves_on = true;  // a healthy worker is asked for its identity at once
      while (moves_on && !worker.ready() && !interrupted()) {
        const bool was_up = worker.up();
        take(worker.poll(http_, remaining()));
        moves_on = worker.up() && !was_up;
      }
    }
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const WorkerWatch& worker) { return worker.ready(); });
  }

  bool router_ready() {
    take(router_->poll(http_, remaining()));
    return router_->ready();
  }

  bool stream_ready() {
    const std::string problem = stream_probe_(front_end().url, target_.workers.front().model);
    if (problem.empty()) {
      passed("streamed_request");
      return true;
    }
    // A process that died under the request explains more than the request.
    if (++stream_attempts_ >= kStreamAttempts && !interrupted()) {
      fail_explained(no_stream_failure(front_end(), "failed " + std::to_string(stream_attempts_) +
                                                        " times, last with: " + printable(problem)),
                     front_end());
    }
    return false;
  }

  [[nodiscard]] const WorkerEndpoint& front_end() const {
    return target_.router ? *target_.router : target_.workers.front();
  }

  [[nodiscard]] bool was_up(const WorkerEndpoint& process) const {
    if (router_ && &router_->endpoint() == &process) {
      return router_->answered();
    }
    return std::any_of(workers_.begin(), workers_.end(), [&](const WorkerWatch& worker) {
      return &worker.endpoint() == &process && worker.up();
    });
  }

  // With what the logs tell; of equals, the log of `first` counts before the others.
  void fail_explained(Failure failure, const WorkerEndpoint& first) {
    std::vector<std::string> paths = logs_of(target_);
    const auto own = std::find(paths.begin(), paths.end(), first.log_path);
    std::rotate(paths.begin(), own, own == paths.end() ? own : own + 1);
    result_.failure = explained(std::move(failure), paths);
  }

  void fail_overdue(const std::string& limit, const std::string& remedy) {
    for (const WorkerWatch& worker : workers_) {
      if (!worker.ready()) {
        fail_explained(worker.overdue(limit, remedy), worker.endpoint());
        return;
      }
    }
    if (!router_ || router_->ready()) {
      fail_explained(no_stream_failure(front_end(), "no success " + limit), front_end());
    } else if (router_->answered()) {
      result_.failure = router_->overdue(limit, remedy);  // what it says is the cause
    } else {
      fail_explained(router_->overdue(limit, remedy), router_->endpoint());
    }
  }

  const ReadinessTarget& target_;
  HttpClient& http_;
  Clock& clock_;
  const ProcessEnded& process_ended_;
  const StreamProbe& stream_probe_;
  const std::function<bool()>& cancelled_;
  LogGrowth growth_;
  TimePoint begin_;
  TimePoint last_progress_;
  TimePoint last_moved_{};  // when an endpoint last said something else than before
  std::vector<WorkerWatch> workers_;
  std::optional<RouterWatch> router_;
  int stream_attempts_ = 0;
  Readiness result_;
};

}  // namespace

Readiness wait_ready(const ReadinessTarget& target, HttpClient& http, Clock& clock,
                     const ProcessEnded& process_ended, const StreamProbe& stream_probe,
                     const std::function<bool()>& cancelled) {
  if (target.workers.empty()) {
    return {false, no_workers_failure(), {}};
  }
  return Wait(target, http, clock, process_ended, stream_probe, cancelled).run();
}

}  // namespace sglexp
