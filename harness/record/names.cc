// SPDX-License-Identifier: Apache-2.0
// The words of every enumeration: one table each, used for writing and for reading back.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/record/check.h"
#include "harness/record/comparison.h"
#include "harness/record/request.h"
#include "harness/record/trial.h"

namespace sglexp {

namespace {

template <typename E, std::size_t N>
using NameTable = std::array<std::pair<E, std::string_view>, N>;

template <typename E, std::size_t N>
std::string_view name_of(const NameTable<E, N>& table, E value) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return row.first == value; })
      ->second;
}

template <typename E, std::size_t N>
std::optional<E> value_of(const NameTable<E, N>& table, std::string_view name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.second == name; });
  return row == table.end() ? std::nullopt : std::optional<E>(row->first);
}

constexpr NameTable<CheckVerdict, 4> kCheckVerdicts = {{
    {CheckVerdict::kPass, "pass"},
    {CheckVerdict::kWarn, "warn"},
    {CheckVerdict::kFail, "fail"},
    {CheckVerdict::kNotApplicable, "not_applicable"},
}};

constexpr NameTable<RequestStatus, 9> kRequestStatuses = {{
    {RequestStatus::kOk, "ok"},
    {RequestStatus::kConnect, "connect"},
    {RequestStatus::kHttpStatus, "http_status"},
    {RequestStatus::kInBandError, "in_band_error"},
    {RequestStatus::kParse, "parse"},
    {RequestStatus::kTruncated, "truncated"},
    {RequestStatus::kTimeout, "timeout"},
    {RequestStatus::kWrongLength, "wrong_length"},
    {RequestStatus::kCancelled, "cancelled"},
}};

constexpr NameTable<Direction, 3> kDirections = {{
    {Direction::kHigherIsBetter, "higher"},
    {Direction::kLowerIsBetter, "lower"},
    {Direction::kNone, "none"},
}};

constexpr NameTable<TrialStatus, 4> kTrialStatuses = {{
    {TrialStatus::kOk, "ok"},
    {TrialStatus::kTestFailed, "test_failed"},
    {TrialStatus::kInfraFailed, "infra_failed"},
    {TrialStatus::kDiscarded, "discarded"},
}};

constexpr NameTable<Verdict, 6> kVerdicts = {{
    {Verdict::kWorse, "worse"},
    {Verdict::kBetter, "better"},
    {Verdict::kNoChange, "no_change"},
    {Verdict::kInconclusive, "inconclusive"},
    {Verdict::kNotComparable, "not_comparable"},
    {Verdict::kNoData, "no_data"},
}};

}  // namespace

std::string_view check_verdict_name(CheckVerdict verdict) {
  return name_of(kCheckVerdicts, verdict);
}
std::optional<CheckVerdict> parse_check_verdict(std::string_view name) {
  return value_of(kCheckVerdicts, name);
}

std::string_view request_status_name(RequestStatus status) {
  return name_of(kRequestStatuses, status);
}
std::optional<RequestStatus> parse_request_status(std::string_view name) {
  return value_of(kRequestStatuses, name);
}

std::string_view direction_name(Direction direction) {
  return name_of(kDirections, direction);
}
std::optional<Direction> parse_direction(std::string_view name) {
  return value_of(kDirections, name);
}

std::string_view trial_status_name(TrialStatus status) {
  return name_of(kTrialStatuses, status);
}
std::optional<TrialStatus> parse_trial_status(std::string_view name) {
  return value_of(kTrialStatuses, name);
}

std::string_view verdict_name(Verdict verdict) {
  return name_of(kVerdicts, verdict);
}
std::optional<Verdict> parse_verdict(std::string_view name) {
  return value_of(kVerdicts, name);
}

std::string TrialKey::text() const {
  return fmt::format("b{:02}-{}-{}-a{}", block, arm, load_point, attempt);
}

}  // namespace sglexp
