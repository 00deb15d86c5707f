// SPDX-License-Identifier: Apache-2.0
// The state table, the error texts and every parser, on answers of a real Slurm 22.05.8.
#include <string>

#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "harness/slurm/job_state.h"
#include "harness/slurm/parse_sacct.h"
#include "harness/slurm/parse_scontrol.h"
#include "harness/slurm/parse_squeue.h"
#include "harness/slurm/recorded_answer.h"
#include "harness/slurm/slurm_error.h"

namespace sglexp {
namespace {

TEST(JobPhase, OnlyTerminalWordsEndAJob) {
  for (const char* word : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
                           "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY"}) {
    EXPECT_EQ(phase_of(word), JobPhase::kEnded) << word;
  }
  for (const char* word : {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD",
                           "SPECIAL_EXIT", "RESV_DEL_HOLD"}) {
    EXPECT_EQ(phase_of(word), JobPhase::kPending) << word;
  }
  for (const char* word : {"RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING"}) {
    EXPECT_EQ(phase_of(word), JobPhase::kRunning) << word;
  }
  EXPECT_EQ(phase_of("COMPLETING"), JobPhase::kCompleting);
  EXPECT_EQ(phase_of("STAGE_OUT"), JobPhase::kCompleting);
  for (const char* word : {"", "REVOKED", "EXPEDITING", "completed", "CANCELLED+", "NEW_WORD"}) {
    EXPECT_EQ(phase_of(word), JobPhase::kUnknown) << word;
  }
}

TEST(JobPhase, ReadsTheWordOutOfSacctsText) {
  EXPECT_EQ(state_word("CANCELLED by 1000"), "CANCELLED");
  EXPECT_EQ(state_word("CANCELLED+"), "CANCELLED");
  EXPECT_EQ(state_word("  FAILED \n"), "FAILED");
  EXPECT_EQ(state_word(""), "");
}

TEST(ParseSqueue, KeepsReasonsWithCommasAndNodesBeforeThem) {
  const auto rows = parse_queue(recorded_answer("squeue_mixed").out);
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0].word, "CANCELLED");
  EXPECT_EQ(rows[0].hostlist, "mi210-[01-02]");
  EXPECT_EQ(rows[5].word, "PENDING");
  EXPECT_EQ(rows[5].hostlist, "");
  EXPECT_EQ(rows[5].reason, "ReqNodeNotAvail, UnavailableNodes:mi210-02");
  EXPECT_EQ(rows[6].reason, "JobHeldUser");
}

TEST(ParseSqueue, SkipsWhatIsNoRow) {
  EXPECT_TRUE(parse_queue("").empty());
  EXPECT_TRUE(
      parse_queue("Welcome to the cluster!\n|RUNNING||\n12|RUNNING\nx|RUNNING|n|r\n").empty());
  const auto rows = parse_queue("banner\n7|RUNNING|n1|a|b\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].reason, "a|b");
}

TEST(ParseSqueue, KnowsJobIds) {
  for (const char* id : {"1", "1234567", "12_3", "12+1"}) {
    EXPECT_TRUE(is_job_id(id)) << id;
  }
  for (const char* id :
       {"", "-1", "1 2", "1,2", "12_", "36_[1-2%1]", "1;c", "--me", "99999999999"}) {
    EXPECT_FALSE(is_job_id(id)) << id;
  }
}

TEST(ParseSqueue, FindsATokenInNameOrComment) {
  const std::string out = recorded_answer("squeue_find").out;
  EXPECT_EQ(ids_with_token(out, "token1"), std::vector<std::string>{"4"});
  EXPECT_EQ(ids_with_token(out, "sglexp-token2"), std::vector<std::string>{"12"});
  EXPECT_TRUE(ids_with_token(out, "token").empty());  // no part of a longer token
  const std::string history = recorded_answer("sacct_find").out;
  EXPECT_EQ(ids_with_token(history, "token1"), std::vector<std::string>{"4"});
}

TEST(ParseSacct, ReadsHowJobsEnded) {
  const auto rows = parse_history(recorded_answer("sacct_history").out);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].word, "CANCELLED");
  EXPECT_EQ(rows[0].hostlist, "mi210-[01-02]");
  EXPECT_EQ(rows[1].hostlist, "");  // "None assigned"
  EXPECT_EQ(rows[2].word, "FAILED");
  EXPECT_EQ(rows[2].exit.code, 3);
  EXPECT_EQ(rows[3].exit.code, 0);
  EXPECT_EQ(rows[3].exit.signal, 9);
  EXPECT_EQ(rows[4].word, "COMPLETED");
  EXPECT_TRUE(parse_history(recorded_answer("sacct_unknown").out).empty());
}

TEST(ParseSacct, RefusesOddExitCodes) {
  EXPECT_FALSE(parse_exit_pair("").has_value());
  EXPECT_FALSE(parse_exit_pair("3").has_value());
  EXPECT_FALSE(parse_exit_pair("3:x").has_value());
  EXPECT_FALSE(parse_exit_pair("-1:0").has_value());
  EXPECT_FALSE(parse_exit_pair("99999999999:0").has_value());
}

TEST(ParseScontrol, TellsNodesWithDifferentGpusApart) {
  const auto record = parse_job_record(recorded_answer("job_gpus_differ").out);
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->word, "RUNNING");
  ASSERT_EQ(record->nodes.size(), 2U);
  EXPECT_EQ(record->nodes[0].node, "mi210-01");
  EXPECT_EQ(format_ranges(record->nodes[0].gpus), "4-7");
  EXPECT_EQ(format_ranges(record->nodes[0].cpus), "64-95");
  EXPECT_EQ(record->nodes[1].node, "mi210-02");
  EXPECT_EQ(format_ranges(record->nodes[1].gpus), "0-3");
}

TEST(ParseScontrol, SplitsNodesThatSlurmMerged) {
  const auto record = parse_job_record(recorded_answer("job_gpus_merged").out);
  ASSERT_TRUE(record.ok());
  ASSERT_EQ(record->nodes.size(), 2U);
  EXPECT_EQ(record->nodes[1].node, "mi210-02");
  EXPECT_EQ(format_ranges(record->nodes[1].gpus), "0-7");
  EXPECT_EQ(format_ranges(record->nodes[1].cpus), "0-127");
}

TEST(ParseScontrol, ReadsHowJobsEnded) {
  const auto failed = parse_job_record(recorded_answer("job_failed").out);
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->word, "FAILED");
  EXPECT_EQ(failed->reason, "NonZeroExitCode");
  EXPECT_EQ(failed->exit.code, 3);
  const auto killed = parse_job_record(recorded_answer("job_killed").out);
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->exit.signal, 9);
  EXPECT_TRUE(killed->nodes.at(0).gpus.empty());
  const auto requeued = parse_job_record(recorded_answer("job_requeued").out);
  ASSERT_TRUE(requeued.ok());
  EXPECT_EQ(requeued->word, "PENDING");
  EXPECT_EQ(requeued->restarts, 1);
}

TEST(ParseScontrol, IsNotFooledByAJobsName) {
  const auto record = parse_job_record(recorded_answer("job_pending").out);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->word, "PENDING");
  EXPECT_EQ(record->hostlist, "");
  EXPECT_TRUE(record->nodes.empty());
}

TEST(ParseScontrol, RefusesWhatIsNoRecord) {
  EXPECT_FALSE(parse_job_record("").ok());
  EXPECT_FALSE(parse_job_record("No jobs in the system").ok());
  EXPECT_FALSE(parse_job_record("JobId=1 JobName=x\n").ok());
  EXPECT_FALSE(
      parse_job_record(
          "JobId=1 JobName=x\nJobState=RUNNING Reason=None\n Nodes=n[1 CPU_IDs=0 Mem=1 GRES=\n")
          .ok());
}

TEST(ParseScontrol, ReadsNodeAddresses) {
  const auto addresses = parse_node_addresses(recorded_answer("nodes").out);
  ASSERT_EQ(addresses.size(), 2U);
  EXPECT_TRUE(addresses.at("mi210-01").starts_with("10."));
  EXPECT_TRUE(addresses.at("mi210-02").ends_with(".12"));
  EXPECT_TRUE(parse_node_addresses(recorded_answer("node_unknown").out).empty());
}

TEST(ParseScontrol, CountsGpusOfEveryTypeAndNothingElse) {
  EXPECT_EQ(format_ranges(parse_gpu_indices("gpu:mi210:4(IDX:0-1,4-5)")), "0-1,4-5");
  EXPECT_EQ(format_ranges(parse_gpu_indices("gpu:a:1(IDX:3),nic:2(IDX:0-1),gpu:b:1(IDX:1)")),
            "1,3");
  EXPECT_EQ(format_ranges(parse_gpu_indices("license:1,gpu:1(IDX:2)")), "2");
  EXPECT_EQ(format_ranges(parse_gpu_indices("gpu(IDX:0)")), "0");
  EXPECT_TRUE(parse_gpu_indices("shard:mi210:2(IDX:0-1)").empty());
  EXPECT_TRUE(parse_gpu_indices("gpu:mi210:0(IDX:N/A)").empty());
  EXPECT_TRUE(parse_gpu_indices("gpu:mi210:4").empty());
  EXPECT_TRUE(parse_gpu_indices("gpu)(IDX:0").empty());
}

struct RefusalCase {
  const char* answer;
  ErrorCode code;
  const char* says;
};

class SubmitError : public testing::TestWithParam<RefusalCase> {};

TEST_P(SubmitError, IsClassified) {
  const Error error = submit_error(recorded_answer(GetParam().answer));
  EXPECT_EQ(error.code, GetParam().code) << error.message;
  EXPECT_NE(error.message.find(GetParam().says), std::string::npos) << error.message;
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, SubmitError,
    testing::Values(
        RefusalCase{"sbatch_controller_down", ErrorCode::kUnavailable, "Unable to contact"},
        RefusalCase{"sbatch_controller_hung", ErrorCode::kTimedOut, "look for it"},
        RefusalCase{"sbatch_bad_partition", ErrorCode::kInvalidInput, "sinfo -s"},
        RefusalCase{"sbatch_too_many_gpus", ErrorCode::kInvalidInput, "no node has"},
        RefusalCase{"sbatch_unknown_gres", ErrorCode::kInvalidInput, "sinfo -o %G"},
        RefusalCase{"sbatch_bad_time", ErrorCode::kInvalidInput, "HH:MM:SS"},
        RefusalCase{"sbatch_unknown_option", ErrorCode::kInvalidInput, "sbatch_args"},
        RefusalCase{"sbatch_dos_script", ErrorCode::kInvalidInput, "carriage returns"},
        RefusalCase{"sbatch_no_shebang", ErrorCode::kInvalidInput, "batch script"},
        RefusalCase{"sbatch_no_script", ErrorCode::kInvalidInput, "/nonexistent/job.sh"}));

TEST(SubmitError, SilenceAndSignalsLeaveTheOutcomeOpen) {
  Completed silent;
  silent.status.code = 1;
  EXPECT_EQ(submit_error(silent).code, ErrorCode::kTimedOut);
  Completed killed;
  killed.status.signal = 9;
  killed.err = "sbatch: error: Invalid qos specification";
  EXPECT_EQ(submit_error(killed).code, ErrorCode::kTimedOut);
  Completed no_id;
  no_id.status.code = 0;
  EXPECT_EQ(submit_error(no_id).code, ErrorCode::kTimedOut);
}

TEST(SubmitError, RateLimitIsTransient) {
  Completed limited;
  limited.status.code = 1;
  limited.err =
      "sbatch: error: Batch job submission failed: Rate limit exceeded, please retry momentarily\n";
  EXPECT_EQ(submit_error(limited).code, ErrorCode::kUnavailable);
}

TEST(SlurmMessage, IsOneSafeLine) {
  EXPECT_EQ(slurm_message(recorded_answer("sbatch_bad_partition").err),
            "invalid partition specified: nope; Batch job submission failed: Invalid partition "
            "name specified");
  EXPECT_EQ(slurm_message("a\x1b[31m\n\n b \n"), "a?[31m; b");
}

}  // namespace
}  // namespace sglexp
