// blob_cache.h: scripts and environments that may be asked for soon, bounded in bytes. The store has
// all of them; this only saves reading.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace sluice {

class BlobCache {
 public:
  explicit BlobCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  void put(const std::string& id, std::shared_ptr<const std::string> bytes);
  std::shared_ptr<const std::string> find(const std::string& id);  // nullptr: not here

 private:
  struct Item {
    std::string id;
    std::shared_ptr<const std::string> bytes;
  };
  std::list<Item> items_;  // most recently used first
  std::unordered_map<std::string, std::list<Item>::iterator> by_id_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
};

}  // namespace sluice
