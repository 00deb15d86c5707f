// SPDX-License-Identifier: Apache-2.0
#include "harness/run/preview.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "harness/run/sample_run.h"

namespace sglexp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSource = SGLEXP_SOURCE_DIR;
const InstallPaths kPaths = {"/opt/sglexp/bin/sglexp", "/opt/sglexp/libexec/sglexp", kSource};

std::string preview_of(const RunInputs& inputs) {
  const auto run = load_inputs(inputs);
  EXPECT_TRUE(run.ok()) << run.error().message;
  const auto text = run.ok() ? render_preview(*run, kPaths) : Result<std::string>(run.error());
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text.ok() ? *text : "";
}

// The same on every machine and for every release: where the sources lie becomes <share>, and the
// digest, which any new field changes, <digest>.
std::string for_review(std::string text) {
  for (std::size_t at = text.find(kSource); at != std::string::npos; at = text.find(kSource)) {
    text.replace(at, kSource.size(), "<share>");
  }
  const std::size_t digest = text.find("\nplan      ");
  EXPECT_NE(digest, std::string::npos);
  return text.replace(digest + 11, 16, "<digest>");
}

TEST(Preview, OfNumaCompareIsAsReviewed) {
  const std::string text = for_review(preview_of(sample_inputs({}, "mock")));
  const std::string path = kSource + "/fixtures/gold/render/numa_compare.txt";
  if (std::getenv("SGLEXP_UPDATE_GOLD") != nullptr) {
    ASSERT_TRUE(make_directories(kSource + "/fixtures/gold/render").ok());
    ASSERT_TRUE(write_file_atomic(path, text).ok());
  }
  const auto gold = read_file(path);
  ASSERT_TRUE(gold.ok()) << gold.error().message << ": run once with SGLEXP_UPDATE_GOLD=1";
  EXPECT_EQ(text, *gold);
}

TEST(Preview, IsTheSameEveryTime) {
  EXPECT_EQ(preview_of(sample_inputs({}, "mock")), preview_of(sample_inputs({}, "mock")));
}

TEST(Preview, OfAProfileThatDiscoversSaysWhatIsDecidedOnTheNodes) {
  const std::string text = preview_of(sample_inputs());
  EXPECT_THAT(text, AllOf(HasSubstr("decided on the nodes"), HasSubstr("same_numa"),
                          HasSubstr("--partition=mi210"), Not(HasSubstr("SIMULATED"))));
}

TEST(Preview, OfAnAllocationByRequestShowsTheWordsForSlurm) {
  const std::string text = preview_of(sample_inputs({}, "mock", "numa_compare_request"));
  EXPECT_THAT(text, AllOf(HasSubstr("Slurm chooses, asked with:"), HasSubstr("first of 12")));
}

TEST(Preview, OfChecksAloneHasNoSlots) {
  const std::string text = preview_of(sample_inputs({}, "mock", "env_smoke"));
  EXPECT_THAT(text, AllOf(HasSubstr("0 trials"), HasSubstr("queue        30m")));
}

TEST(Preview, ShowsNoSecret) {
  const std::string text = preview_of(
      sample_inputs({"engine.args.api-key=s3cr3t", "engine.env.HF_TOKEN=s3cr3t"}, "mock"));
  EXPECT_THAT(text, Not(HasSubstr("s3cr3t")));
}

TEST(Preview, FitsATerminalExceptForSingleWords) {
  for (const std::string& line : split(for_review(preview_of(sample_inputs({}, "mock"))), '\n')) {
    EXPECT_LE(line.size(), 130U) << line;
  }
}

}  // namespace
}  // namespace sglexp
