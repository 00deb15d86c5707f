// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/output_sanity.h"

#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text.h"

namespace sglexp {
namespace {

using DigestsByBlock = std::map<int, std::set<std::string>>;

DigestsByBlock digests(const CountedTrials& trials) {
  DigestsByBlock by_block;
  for (const TrialRecord* trial : trials) {
    if (!trial->output_digest.empty()) {
      by_block[trial->key.block].insert(trial->output_digest);
    }
  }
  return by_block;
}

}  // namespace

OutputSanity compare_outputs(const CountedTrials& base, const CountedTrials& candidate) {
  const DigestsByBlock base_digests = digests(base);
  const DigestsByBlock candidate_digests = digests(candidate);
  OutputSanity sanity;
  std::vector<int> differing;
  std::vector<int> unsteady;
  for (const auto& [block, ours] : base_digests) {
    const auto theirs = candidate_digests.find(block);
    if (theirs == candidate_digests.end()) {
      continue;
    }
    ++sanity.pairs;
    if (ours.size() > 1 || theirs->second.size() > 1) {
      unsteady.push_back(block);
    } else if (ours != theirs->second) {
      differing.push_back(block);
    } else {
      ++sanity.equal;
    }
  }
  std::vector<std::string> notes;
  if (sanity.pairs == 0) {
    notes.emplace_back("no block has output digests of both arms: outputs were not compared");
  }
  if (!differing.empty()) {
    notes.push_back(fmt::format("outputs differ in block {}", format_ranges(differing)));
  }
  if (!unsteady.empty()) {
    notes.push_back(
        fmt::format("one arm disagrees with itself in block {}", format_ranges(unsteady)));
  }
  sanity.note = join(notes, "; ");
  return sanity;
}

}  // namespace sglexp
