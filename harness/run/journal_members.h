// SPDX-License-Identifier: Apache-2.0
// What a member of a journal line says. Journals lie on a shared file system: a member that is
// missing or of another type says nothing, and is never a crash.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/record/journal.h"
#include "harness/record/outcome.h"

namespace sglexp {

[[nodiscard]] std::string text_member(const JournalEntry& entry, const std::string& name);
[[nodiscard]] std::optional<int> number_member(const JournalEntry& entry, const std::string& name);
// Elements of the list `name`; 0 where it is none.
[[nodiscard]] std::size_t count_member(const JournalEntry& entry, const std::string& name);
// The text `member` of every object in the list `name`.
[[nodiscard]] std::vector<std::string> texts_in(const JournalEntry& entry, const std::string& name,
                                                const std::string& member);
// The line's `failure`, none where it is null or missing. kInvalidInput: it is something else.
[[nodiscard]] Result<std::optional<Failure>> failure_member(const JournalEntry& entry);

}  // namespace sglexp
