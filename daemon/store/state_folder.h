// state_folder.h: the controller's state folder: private (0700), held by one controller at a time.
// Names the files in it; what is in them is for their owners.
#pragma once

#include <string>

#include "common/base/file.h"
#include "common/base/result.h"

namespace sluice {

class StateFolder {
 public:
  // Makes the folder when there is none and takes its lock, which lasts as long as this object lives
  // and goes with the process, however it ends. Errors: locked (names pid, host and start of the
  // holder), io_error.
  static Result<StateFolder> open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string database_path() const { return path_ + "/state.db"; }
  std::string id_floor_path() const { return path_ + "/id_floor"; }

 private:
  StateFolder(std::string path, UniqueFd folder, UniqueFd lock)
      : path_(std::move(path)), folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::string path_;
  UniqueFd folder_;  // locked too: removing the lock file lets nobody in
  UniqueFd lock_;
};

}  // namespace sluice
