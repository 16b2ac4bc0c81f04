// blobs.h: large scripts and environments, fetched from the controller in chunks, one chunk asked at
// a time so that a heartbeat never waits behind more than one. Pure; keeps the bytes in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/wire/messages.h"

namespace sluice::agent {

class BlobCache {
 public:
  // A blob claims at most this; the controller's own limits are lower.
  static constexpr std::uint64_t blob_bytes_max = 64ULL << 20;
  // Complete blobs kept for the next run of the same script (array tasks).
  static constexpr std::uint64_t kept_bytes_max = 32ULL << 20;

  const std::string* find(const std::string& content_id) const;
  // The question to send now; none when the blob is already being fetched.
  std::optional<GetBlob> want(const std::string& content_id);

  struct Progress {
    bool complete = false;
    bool failed = false;          // the chunk contradicts what came before, or is too large
    std::optional<GetBlob> next;  // the next question
  };
  Progress take(const BlobChunk& chunk);
  // The connection is gone: what was half fetched is dropped.
  void forget_partial();

 private:
  void keep(const std::string& content_id, std::string bytes);

  struct Kept {
    std::string bytes;
    std::uint64_t age = 0;
  };
  std::map<std::string, std::string> partial_;
  std::map<std::string, Kept> complete_;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t next_age_ = 0;
};

}  // namespace sluice::agent
