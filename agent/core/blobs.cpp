// blobs.cpp: assembly of chunks, and a small cache that forgets the oldest.
#include "agent/core/blobs.h"

#include <algorithm>
#include <utility>

namespace sluice::agent {

const std::string* BlobCache::find(const std::string& content_id) const {
  const auto at = complete_.find(content_id);
  return at == complete_.end() ? nullptr : &at->second.bytes;
}

std::optional<GetBlob> BlobCache::want(const std::string& content_id) {
  const bool is_new = partial_.try_emplace(content_id).second;
  if (!is_new) return std::nullopt;
  return GetBlob{content_id, 0};
}

BlobCache::Progress BlobCache::take(const BlobChunk& chunk) {
  const auto at = partial_.find(chunk.content_id);
  if (at == partial_.end() || chunk.offset != at->second.size()) return {};
  std::string& bytes = at->second;
  const bool contradicts = chunk.total > blob_bytes_max ||
                           bytes.size() + chunk.bytes.size() > chunk.total ||
                           (chunk.bytes.empty() && chunk.total != bytes.size());
  if (contradicts) {
    partial_.erase(at);
    return {.complete = false, .failed = true, .next = {}};
  }
  bytes += chunk.bytes;
  if (bytes.size() < chunk.total) return {.complete = false, .failed = false, .next = GetBlob{chunk.content_id, bytes.size()}};
  keep(chunk.content_id, std::move(bytes));
  partial_.erase(at);
  return {.complete = true, .failed = false, .next = {}};
}

void BlobCache::forget_partial() { partial_.clear(); }

void BlobCache::keep(const std::string& content_id, std::string bytes) {
  kept_bytes_ += bytes.size();
  complete_[content_id] = Kept{std::move(bytes), next_age_++};
  while (kept_bytes_ > kept_bytes_max && complete_.size() > 1) {
    const auto oldest =
        std::min_element(complete_.begin(), complete_.end(), [](const auto& a, const auto& b) {
          return a.second.age < b.second.age;
        });
    kept_bytes_ -= oldest->second.bytes.size();
    complete_.erase(oldest);
  }
}

}  // namespace sluice::agent
