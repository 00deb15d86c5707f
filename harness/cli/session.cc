// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/session.h"

#include <filesystem>

#include "harness/cli/locate.h"
#include "harness/report/report.h"
#include "harness/run/cluster_tools.h"
#include "harness/run/conclude.h"

namespace sglexp {

Result<Store> open_store(const DatabaseOptions& options, OpenMode mode) {
  SGLEXP_TRY(const std::string path, database_path(options.db));
  return Store::open(path, mode);
}

Result<RunInfo> find_stored_run(const OneRunOptions& options, const Store& store) {
  SGLEXP_TRY(const std::string uuid, store.find_run(options.run));
  return store.load_run(uuid);
}

ExitPolicy exit_policy(const std::string& fail_on) {
  return {.fail_on_inconclusive = fail_on == "inconclusive"};
}

Result<std::unique_ptr<ClusterSession>> ClusterSession::open(const ClusterProfile& profile,
                                                             const std::string& runs_root) {
  std::unique_ptr<ClusterSession> session(new ClusterSession());
  SGLEXP_TRY(session->paths_, find_install_paths());
  SGLEXP_TRY(session->scheduler_, make_scheduler(profile, session->paths_, runs_root,
                                                 session->runner_, session->clock_));
  return session;
}

Result<std::unique_ptr<ClusterSession>> ClusterSession::open(const RunFiles& run) {
  return open(run.profile, std::filesystem::path(run.dir.root()).parent_path().string());
}

ControllerTools ClusterSession::tools(Store& store) const {
  return {.scheduler = *scheduler_,
          .clock = clock_,
          .store = store,
          .signals = signals_,
          .paths = paths_,
          .progress = print_line};
}

Result<ExitCode> follow_and_show(const RunFiles& run, const ExitPolicy& policy, bool json,
                                 const ClusterSession& session, Store& store) {
  SGLEXP_TRY(const RunConclusion conclusion, follow_run(run, policy, session.tools(store)));
  SGLEXP_TRY(RunReport report, load_run_report(run.uuid, policy, store));
  report.exit = conclusion.exit;
  print_out(json ? report_json(report) : report_text(report));
  return conclusion.exit;
}

}  // namespace sglexp
