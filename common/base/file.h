// file.h: small files as whole values, and descriptors that close themselves. Only for programs and
// libraries that may touch files (never core, sched, model).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace sluice {

// Owns a file descriptor; -1 is none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// "No space left on device".
std::string errno_text(int error_number);
// io_error with "PATH: WHAT (TEXT OF ERRNO)".
Error file_error(const std::string& path, std::string_view what, int error_number);

// nullopt: there is no such file. Errors: io_error; limit_exceeded when it is larger than `limit`.
Result<std::optional<std::string>> read_file(const std::string& path, std::size_t limit);
// All of `bytes`, also when write() takes them in parts.
Result<void> write_all(int fd, std::string_view bytes, const std::string& path);
// The file has the old content or the new one, whatever happens, power loss included: written beside
// it, synced, renamed, and the folder synced. Mode 0600. Errors: io_error.
Result<void> replace_file(const std::string& path, std::string_view bytes);
// Makes creations, renames and deletions in `folder` durable.
Result<void> sync_folder(const std::string& folder);
// The folder a path lies in: "a/b" -> "a", "b" -> ".".
std::string folder_of(const std::string& path);

}  // namespace sluice
