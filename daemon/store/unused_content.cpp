// unused_content.cpp: see unused_content.h.
#include "daemon/store/unused_content.h"

#include <fmt/format.h>

#include "common/wire/message_codec.h"

namespace sluice {
namespace {

constexpr int specs_a_slice = 1000;
constexpr int blobs_a_slice = 1000;

constexpr const char* specs_sql =
    "SELECT spec_id, content, NOT EXISTS (SELECT 1 FROM job WHERE job.spec_id = spec.spec_id) AND "
    "spec_id < (SELECT max(spec_id) FROM spec) FROM spec WHERE spec_id > ?1 ORDER BY spec_id LIMIT "
    "?2";
constexpr const char* blobs_sql =
    "SELECT blob_id FROM blob WHERE blob_id > ?1 ORDER BY blob_id LIMIT ?2";

std::uint64_t hash_of(std::string_view blob_id) { return std::hash<std::string_view>{}(blob_id); }

}  // namespace

void BlobNames::add(const JobSpec& spec) {
  hashes_.insert(hash_of(spec.batch.script_id));
  hashes_.insert(hash_of(spec.batch.environment_id));
}

bool BlobNames::contains(std::string_view blob_id) const {
  return hashes_.contains(hash_of(blob_id));
}

Result<UnusedContent> UnusedContent::open(const sqlite::OpenOptions& state) {
  sqlite::Connection connection =
      TRY(sqlite::Connection::open({.path = state.path, .vfs = state.vfs, .read_only = true}));
  sqlite::Statement specs = TRY(connection.prepare(specs_sql));
  sqlite::Statement blobs = TRY(connection.prepare(blobs_sql));
  return UnusedContent(std::move(connection), std::move(specs), std::move(blobs));
}

Result<std::optional<std::vector<std::int64_t>>> UnusedContent::next_specs() {
  std::vector<std::int64_t> unused;
  const std::int64_t before = last_spec_;
  specs_.bind(1, last_spec_);
  specs_.bind(2, std::int64_t{specs_a_slice});
  while (TRY(specs_.step())) {
    last_spec_ = specs_.integer(0);
    if (specs_.integer(2) != 0) {
      unused.push_back(last_spec_);
      continue;
    }
    const Result<JobSpec> spec = from_bytes<JobSpec>(specs_.bytes(1));
    if (!spec.ok())
      return Error{ErrorCode::store_error, fmt::format("spec {} cannot be decoded", last_spec_)};
    named_.add(*spec);
  }
  specs_.reset();
  if (last_spec_ == before) return std::optional<std::vector<std::int64_t>>{};
  return std::optional(std::move(unused));
}

Result<std::optional<std::vector<std::string>>> UnusedContent::next_blobs() {
  std::vector<std::string> unused;
  const std::string before = last_blob_;
  blobs_.bind(1, sqlite::Text{before});
  blobs_.bind(2, std::int64_t{blobs_a_slice});
  while (TRY(blobs_.step())) {
    last_blob_ = blobs_.bytes(0);
    if (!named_.contains(last_blob_)) unused.push_back(last_blob_);
  }
  blobs_.reset();
  if (last_blob_ == before) return std::optional<std::vector<std::string>>{};
  return std::optional(std::move(unused));
}

}  // namespace sluice
