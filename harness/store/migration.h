// SPDX-License-Identifier: Apache-2.0
// Numbered schema changes, compiled in. A change that was released is never edited: its digest is
// stored in every database and checked whenever one is opened.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/base/result.h"
#include "harness/store/database.h"

namespace sglexp {

struct Migration {
  int version = 0;  // from 1, without gaps
  std::string_view name;
  std::string_view sql;
};

// "sglx": marks the file as ours in its header (file(1) and other programs can tell).
inline constexpr std::int64_t kApplicationId = 0x73676C78;

// All of them, oldest first.
[[nodiscard]] std::span<const Migration> migrations();

// Refuses (kInvalidInput, saying why) a database that belongs to another program, was written by a
// newer sglexp, or whose stored migrations differ from the compiled-in ones. Changes nothing.
[[nodiscard]] Status check_schema(Database& database, std::span<const Migration> known);

// Brings an existing or new database to the newest version, one transaction a change. Before the
// first change of a database that has data, a copy is made beside it: FILE.v<old>.backup[-N].
// Safe when two processes do it at once: the second finds the work done.
[[nodiscard]] Status migrate(Database& database, std::span<const Migration> known);

}  // namespace sglexp
