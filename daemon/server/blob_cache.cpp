// blob_cache.cpp: least recently used goes first.
#include "daemon/server/blob_cache.h"

#include <utility>

namespace sluice {

void BlobCache::put(const std::string& id, std::shared_ptr<const std::string> bytes) {
  if (find(id) || bytes->size() > bytes_max_) return;
  bytes_ += bytes->size();
  items_.push_front({id, std::move(bytes)});
  by_id_[id] = items_.begin();
  while (bytes_ > bytes_max_) {
    bytes_ -= items_.back().bytes->size();
    by_id_.erase(items_.back().id);
    items_.pop_back();
  }
}

std::shared_ptr<const std::string> BlobCache::find(const std::string& id) {
  auto at = by_id_.find(id);
  if (at == by_id_.end()) return nullptr;
  items_.splice(items_.begin(), items_, at->second);
  return at->second->bytes;
}

}  // namespace sluice
