// SPDX-License-Identifier: Apache-2.0
// Journal entries -> store. Idempotent: an entry that was ingested before a crash changes nothing.
#pragma once

#include "harness/base/result.h"
#include "harness/record/journal.h"
#include "harness/run/run_files.h"
#include "harness/store/store.h"

namespace sglexp {

// What the files say that the entry names; entries that carry no results are left alone.
[[nodiscard]] Status ingest_entry(const RunFiles& run, const std::string& job_id,
                                  const JournalEntry& entry, Store& store);

}  // namespace sglexp
