// unused_content.h: finds what no job refers to any more: specs of jobs that went or changed, and
// the scripts and environments that no spec names. Reads the whole table of specs, slice by slice,
// on a connection of its own, so that submits pay nothing for it. Removes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/model/request.h"
#include "daemon/store/sqlite.h"

namespace sluice {

// Blobs that a spec names, by a hash of their ids: 8 bytes each instead of 64. One that is taken
// for another is only kept longer.
class BlobNames {
 public:
  void add(const JobSpec& spec);
  bool contains(std::string_view blob_id) const;
  std::size_t size() const { return hashes_.size(); }

 private:
  std::unordered_set<std::uint64_t> hashes_;
};

class UnusedContent {
 public:
  static Result<UnusedContent> open(const sqlite::OpenOptions& state);

  // Specs without a job, of the next slice; nullopt: all were looked at. The newest spec counts as
  // used: its id must not be given again.
  Result<std::optional<std::vector<std::int64_t>>> next_specs();
  // Then: blobs that none of the specs names which were there.
  Result<std::optional<std::vector<std::string>>> next_blobs();

 private:
  UnusedContent(sqlite::Connection connection, sqlite::Statement specs, sqlite::Statement blobs)
      : connection_(std::move(connection)), specs_(std::move(specs)), blobs_(std::move(blobs)) {}

  sqlite::Connection connection_;
  sqlite::Statement specs_;
  sqlite::Statement blobs_;
  std::int64_t last_spec_ = 0;
  std::string last_blob_;
  BlobNames named_;
};

}  // namespace sluice
