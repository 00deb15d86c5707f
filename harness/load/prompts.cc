// SPDX-License-Identifier: Apache-2.0
#include "harness/load/prompts.h"

#include <array>
#include <string_view>

#include "harness/base/random.h"

namespace sglexp {

namespace {

constexpr std::array<std::string_view, 128> kWords = {
    "time",    "year",   "people", "way",    "day",    "man",    "thing",  "woman",  "life",
    "child",   "world",  "school", "state",  "house",  "group",  "hand",   "part",   "place",
    "case",    "week",   "work",   "point",  "home",   "water",  "room",   "mother", "area",
    "money",   "story",  "fact",   "month",  "lot",    "right",  "study",  "book",   "eye",
    "job",     "word",   "side",   "kind",   "head",   "friend", "father", "power",  "hour",
    "game",    "line",   "end",    "member", "law",    "car",    "city",   "name",   "team",
    "minute",  "idea",   "kid",    "body",   "back",   "parent", "face",   "others", "level",
    "office",  "door",   "health", "person", "art",    "war",    "party",  "result", "change",
    "morning", "reason", "girl",   "guy",    "moment", "air",    "force",  "good",   "new",
    "first",   "last",   "long",   "great",  "little", "own",    "other",  "old",    "big",
    "high",    "small",  "large",  "next",   "early",  "young",  "few",    "public", "bad",
    "same",    "able",   "make",   "know",   "take",   "see",    "come",   "think",  "look",
    "want",    "give",   "use",    "find",   "tell",   "ask",    "seem",   "feel",   "try",
    "leave",   "call",   "keep",   "let",    "begin",  "help",   "show",   "hear",   "play",
    "run",     "move"};

}  // namespace

std::string make_prompt(std::uint64_t seed, int seq, int words) {
  Rng rng(seed, "prompt " + std::to_string(seq));
  std::string prompt;
  prompt.reserve(static_cast<std::size_t>(words) * 7);
  for (int i = 0; i < words; ++i) {
    if (i > 0) {
      prompt += ' ';
    }
    prompt += kWords[rng.below(kWords.size())];
  }
  return prompt;
}

}  // namespace sglexp
