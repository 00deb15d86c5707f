// SPDX-License-Identifier: Apache-2.0
#include "harness/store/migration.h"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/base/digest.h"
#include "harness/base/text.h"
#include "harness/store/schema.h"
#include "harness/store/statement.h"
#include "harness/sys/files.h"

namespace sglexp {

namespace {

Error refuse(const Database& database, const std::string& why) {
  return {ErrorCode::kInvalidInput,
          fmt::format("database {}: {}", printable(database.path()), why)};
}

Status check_digests(Database& database, std::span<const Migration> known, std::int64_t version) {
  SGLEXP_TRY(Statement rows,
             Statement::prepare(database, "SELECT version, sha256 FROM schema_migration"));
  std::map<std::int64_t, std::string> stored;
  SGLEXP_CHECK(rows.each([&] { stored[rows.integer(0)] = rows.text(1); }));
  for (const Migration& migration : known) {
    if (migration.version > version) {
      break;
    }
    const auto found = stored.find(migration.version);
    if (found == stored.end() || found->second != sha256_hex(migration.sql)) {
      return refuse(database,
                    fmt::format("its schema change {} ({}) is not the one that this sglexp knows: "
                                "the file was made by a modified build or edited by hand; open it "
                                "with the sglexp that made it, or restore a copy",
                                migration.version, migration.name));
    }
  }
  return Ok{};
}

// VACUUM INTO gives a consistent copy even while others write, and refuses to overwrite a file.
Status back_up(Database& database, std::int64_t version) {
  const std::string stem = fmt::format("{}.v{}.backup", database.path(), version);
  std::string target = stem;
  for (int i = 2; path_exists(target); ++i) {
    target = fmt::format("{}-{}", stem, i);
  }
  SGLEXP_TRY(Statement copy, Statement::prepare(database, "VACUUM INTO ?1"));
  Status done = copy.run(target);
  return done.ok() ? done : Status(with_context(done.error(), "copying it to " + target));
}

Status apply(Database& database, const Migration& migration) {
  SGLEXP_TRY(Transaction transaction, Transaction::begin(database, Transaction::Kind::kWrite));
  // Another process may have done it between our look and our lock.
  SGLEXP_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version >= migration.version) {
    return Ok{};
  }
  SGLEXP_CHECK(database.execute(std::string(migration.sql)));
  SGLEXP_TRY(Statement log,
             Statement::prepare(database,
                                "INSERT INTO schema_migration(version, name, sha256, applied_utc) "
                                "VALUES(?1, ?2, ?3, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"));
  SGLEXP_CHECK(log.run(migration.version, migration.name, sha256_hex(migration.sql)));
  // PRAGMA takes no parameters; both values are integers of this program.
  SGLEXP_CHECK(database.execute(fmt::format("PRAGMA user_version={}; PRAGMA application_id={}",
                                            migration.version, kApplicationId)));
  return transaction.commit();
}

}  // namespace

std::span<const Migration> migrations() {
  static const Migration all[] = {{1, "initial", kSchemaV1}};
  return all;
}

Status check_schema(Database& database, std::span<const Migration> known) {
  // One view, or a process that migrates meanwhile could look like a damaged file.
  SGLEXP_TRY(Transaction view, Transaction::begin(database, Transaction::Kind::kRead));
  SGLEXP_TRY(const std::int64_t application, database.integer("PRAGMA application_id"));
  SGLEXP_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  SGLEXP_TRY(const std::int64_t tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && tables == 0) {
    return Ok{};  // new
  }
  if (application != kApplicationId) {
    return refuse(database, fmt::format("it belongs to another program (application id {:#x}); "
                                        "pass another path with --db",
                                        static_cast<std::uint32_t>(application)));
  }
  const int newest = known.back().version;
  if (version > newest) {
    return refuse(database, fmt::format("it has schema version {}, made by a newer sglexp; this "
                                        "one knows versions up to {}: upgrade sglexp",
                                        version, newest));
  }
  return check_digests(database, known, version);
}

Status migrate(Database& database, std::span<const Migration> known) {
  SGLEXP_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version > 0 && version < known.back().version) {
    SGLEXP_CHECK(back_up(database, version));
  }
  for (const Migration& migration : known) {
    if (migration.version > version) {
      Status done = apply(database, migration);
      if (!done.ok()) {
        return with_context(
            done.error(), fmt::format("schema change {} ({})", migration.version, migration.name));
      }
    }
  }
  return Ok{};
}

}  // namespace sglexp
