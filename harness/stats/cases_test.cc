// SPDX-License-Identifier: Apache-2.0
// Runs every statistics case: a JSON file with input, parameters and values that an independent
// tool computed (R, scipy, exact enumeration). The committed ones are in fixtures/cases/stats;
// further ones are read from the directory that SGLEXP_EXTRA_CASES names.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/stats/change_points.h"
#include "harness/stats/energy.h"
#include "harness/stats/geomean.h"
#include "harness/stats/intervals.h"
#include "harness/stats/multiplicity.h"
#include "harness/stats/paired.h"
#include "harness/stats/quantiles.h"
#include "harness/stats/rank_test.h"

namespace sglexp {
namespace {

using Json = nlohmann::json;
// Everything that this library can say about a case, by the names the cases use. null: "undefined".
using Answers = std::map<std::string, Json>;
using Values = std::vector<double>;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Values values_of(const Json& input, const std::string& key) {
  return input.at(key).get<Values>();
}

Scale scale_of(const Json& params) {
  return params.value("scale", "linear") == "log" ? Scale::kLog : Scale::kLinear;
}

Answers answer_mann_whitney(const Json& input, const Json& params) {
  const Values x = values_of(input, "x");
  const Values y = values_of(input, "y");
  RankTestOptions options;
  const std::string method = params.value("method", "exact");
  options.method = method == "asymptotic" ? RankMethod::kAsymptotic : RankMethod::kExact;
  options.continuity = params.value("continuity", true);
  const RankTest test = mann_whitney(x, y, options).value();
  const RankTest plain = mann_whitney(x, y, {RankMethod::kAsymptotic, false}).value();
  return {{"u_x", test.u_x},
          {"u_y", test.u_y},
          {"p_two_sided", test.p_two_sided},
          {"p_less", test.p_less},
          {"p_greater", test.p_greater},
          {"effect_a12_y_over_x", test.a12},
          {"tie_term_sum_t3_minus_t", test.tie_term},
          {"p_two_sided_no_continuity", plain.p_two_sided}};
}

void add_interval(Answers& answers, const Shift& shift) {
  answers["ci_lo"] = shift.interval ? Json(shift.interval->low) : Json(nullptr);
  answers["ci_hi"] = shift.interval ? Json(shift.interval->high) : Json(nullptr);
  answers["achieved_confidence"] =
      shift.interval ? Json(shift.interval->confidence) : Json(nullptr);
  answers["k"] = shift.k;
  answers["max_attainable_confidence"] = shift.attainable_confidence;
}

Answers answer_hodges_lehmann(const Json& input, const Json& params) {
  const Shift shift = hodges_lehmann(values_of(input, "x"), values_of(input, "y"),
                                     params.value("confidence", 0.95), scale_of(params))
                          .value();
  Answers answers = {{"ratio_y_over_x", shift.estimate},
                     {"shift", shift.estimate},
                     {"shift_y_minus_x", shift.estimate}};
  add_interval(answers, shift);
  return answers;
}

Answers answer_paired(const Json& input, const Json& params) {
  const Values a = values_of(input, "a");
  const Values b = values_of(input, "b");
  PairedDifferences pairs;
  if (scale_of(params) == Scale::kLog) {
    pairs = paired_differences(a, b).value();
  } else {
    pairs.scale = Scale::kLinear;
    for (std::size_t i = 0; i < a.size(); ++i) {
      pairs.d.push_back(b[i] - a[i]);
    }
  }
  const SignedRankTest test = signed_rank_test(pairs.d).value();
  const PairedTest flips = sign_flip_test(pairs.d, 1).value();
  const Shift shift = walsh_shift(pairs.d, pairs.scale, params.value("confidence", 0.95)).value();
  Answers answers = {{"v_positive_rank_sum", test.v},
                     {"p_two_sided", test.p_two_sided},
                     {"p_less", test.p_less},
                     {"p_greater", test.p_greater},
                     {"p_sign_flip", flips.p_two_sided},
                     {"ratio_b_over_a", shift.estimate},
                     {"shift_b_minus_a", shift.estimate}};
  add_interval(answers, shift);
  return answers;
}

Answers answer_percentile(const Json& input, const Json& params) {
  const Values sorted = sorted_sample(values_of(input, "x")).value();
  Answers answers;
  for (const Json& p : params.at("p")) {
    const Percentile at = percentile(p.get<double>());
    const std::string name = "p" + p.dump();
    answers[name + "_linear"] = or_null(quantile(sorted, at, QuantileMethod::kLinear));
    answers[name + "_nearest_rank"] = or_null(quantile(sorted, at, QuantileMethod::kNearestRank));
    answers[name + "_type8"] = or_null(quantile(sorted, at, QuantileMethod::kMedianUnbiased));
  }
  return answers;
}

Answers answer_p_adjust(const Json& input, const Json&) {
  const Values p = values_of(input, "p");
  return {{"holm", holm(p).value()}, {"bh", benjamini_hochberg(p).value()}};
}

Answers answer_geomean(const Json& input, const Json&) {
  return {{"geomean", or_null(geomean(values_of(input, "x")))}};
}

Answers answer_changepoint(const Json& input, const Json& params) {
  ChangePointOptions options;
  options.alpha = params.value("alpha", options.alpha);
  options.min_segment = params.value("min_segment", options.min_segment);
  options.min_relative_change = params.value("min_relative_change", options.min_relative_change);
  const SeriesChanges changes = find_changes(values_of(input, "series"), 1, options);
  std::vector<std::size_t> indices;
  Values relative;
  for (const ChangePoint& point : changes.points) {
    indices.push_back(point.index);
    relative.push_back(point.relative.value_or(HUGE_VAL));
  }
  return {{"indices", indices},
          {"must_include", indices},
          {"must_not_include", indices},
          {"relative_change", relative},
          {"insufficient_data", changes.insufficient_data},
          {"outlier_indices", changes.outliers}};
}

// benchstat's own way to write a comparison of two samples.
std::string benchstat_text(double old_median, double new_median, double p, std::size_t n) {
  const std::string tail = fmt::format("(p={:.3f} n={})", p, n);
  return p > 0.05 ? "~ " + tail
                  : fmt::format("{:+.2f}% {}", 100 * (new_median / old_median - 1), tail);
}

Json ends_of(const std::optional<Interval>& interval) {
  return interval ? Json({interval->low, interval->high}) : Json(nullptr);
}

Answers answer_published(const Json& input, const Json&) {
  if (input.contains("x_range")) {
    const auto range = [&](const char* key) {
      Values v;
      for (int i = input.at(key).at(0); i <= input.at(key).at(1).get<int>(); ++i) {
        v.push_back(i);
      }
      return v;
    };
    const EnergyStatistics s = energy_statistics(range("x_range"), range("y_range")).value();
    return {{"e", s.e}, {"t", s.t}, {"h", s.h}, {"t_full", s.t}};
  }
  if (input.contains("median_old")) {
    const double before = geomean(values_of(input, "median_old")).value();
    const double after = geomean(values_of(input, "median_new")).value();
    return {{"geomean_old", before},
            {"geomean_new", after},
            {"percent_change", 100 * (after / before - 1)}};
  }
  const Values before = values_of(input, "old");
  const Values after = values_of(input, "new");
  const double p = mann_whitney(before, after).value().p_two_sided;
  const double median_before = median(before).value();
  const double median_after = median(after).value();
  return {{"median_old", median_before},
          {"median_new", median_after},
          {"ci95_old", ends_of(median_interval(before))},
          {"ci95_new", ends_of(median_interval(after))},
          {"median_ci95_attainable", median_interval(before).has_value()},
          {"p_two_sided", p},
          {"printed", benchstat_text(median_before, median_after, p, before.size())}};
}

const std::map<std::string, std::function<Answers(const Json&, const Json&)>>& kinds() {
  static const std::map<std::string, std::function<Answers(const Json&, const Json&)>> table = {
      {"mann_whitney", answer_mann_whitney},
      {"hodges_lehmann", answer_hodges_lehmann},
      {"paired", answer_paired},
      {"percentile", answer_percentile},
      {"p_adjust", answer_p_adjust},
      {"geomean", answer_geomean},
      {"changepoint", answer_changepoint},
      {"published_changepoint", answer_changepoint},
      {"published", answer_published},
  };
  return table;
}

// "inf", "unavailable" and null are the cases' words for: not attainable.
bool means_undefined(const Json& wanted) {
  return wanted.is_null() ||
         (wanted.is_string() && (wanted == "unavailable" || wanted == "inf" || wanted == "-inf" ||
                                 wanted == "Inf" || wanted == "-Inf"));
}

bool close(const Json& got, const Json& wanted, double tolerance, double relative) {
  if (got.is_null()) {
    return means_undefined(wanted);
  }
  if (!got.is_number() || !wanted.is_number()) {
    return got == wanted;
  }
  const double w = wanted.get<double>();
  return std::abs(got.get<double>() - w) <= std::max(tolerance, relative * std::abs(w));
}

bool contains_close(const Json& list, const Json& wanted, double tolerance) {
  return std::ranges::any_of(list,
                             [&](const Json& got) { return close(got, wanted, tolerance, 0); });
}

void compare(const std::string& key, const Json& got, const Json& expected) {
  const Json& wanted = expected.at("value");
  const double relative = expected.value("rel_tol", 0.0);
  const double tolerance = expected.value("index_tol", expected.value("abs_tol", 0.0));
  if (key.starts_with("must_")) {
    for (const Json& w : wanted) {
      EXPECT_EQ(contains_close(got, w, tolerance), key == "must_include") << key << " " << w << got;
    }
    return;
  }
  if (!wanted.is_array()) {
    EXPECT_TRUE(close(got, wanted, tolerance, relative)) << key << ": " << got << " != " << wanted;
    return;
  }
  ASSERT_EQ(got.size(), wanted.size()) << key << ": " << got << " != " << wanted;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(close(got[i], wanted[i], tolerance, relative))
        << key << "[" << i << "]: " << got[i] << " != " << wanted[i];
  }
}

void run_case(const std::filesystem::path& file) {
  SCOPED_TRACE(file.filename().string());
  std::ifstream in(file);
  const Json test = Json::parse(in);
  ASSERT_EQ(test.at("schema"), "sglexp-stats-case/1");
  const auto kind = kinds().find(test.at("kind").get<std::string>());
  ASSERT_NE(kind, kinds().end()) << "unknown kind " << test.at("kind");
  const Answers answers = kind->second(test.at("input"), test.value("params", Json::object()));
  for (const auto& [key, expected] : test.at("expected").items()) {
    const auto got = answers.find(key);
    if (got == answers.end()) {
      ADD_FAILURE() << "no answer for '" << key << "'";
      continue;
    }
    compare(key, got->second, expected);
  }
}

int run_cases(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    run_case(file);
  }
  return static_cast<int>(files.size());
}

TEST(Cases, CommittedCasesHold) {
  EXPECT_EQ(run_cases(SGLEXP_SOURCE_DIR "/fixtures/cases/stats"), 8);
}

TEST(Cases, ExtraCasesHold) {
  const char* extra = std::getenv("SGLEXP_EXTRA_CASES");
  if (extra == nullptr) {
    GTEST_SKIP()
        << "SGLEXP_EXTRA_CASES is not set: the published cases are not part of the sources";
  }
  std::filesystem::path directory = extra;
  if (std::filesystem::is_directory(directory / "stats" / "published")) {
    directory = directory / "stats" / "published";
  }
  ASSERT_TRUE(std::filesystem::is_directory(directory)) << directory;
  EXPECT_GT(run_cases(directory), 0) << "no *.json in " << directory;
}

}  // namespace
}  // namespace sglexp
