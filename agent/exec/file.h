// file.h: descriptors that close themselves, and errors of system calls told with their path. Used in
// the shepherd too: nothing here formats by a library or allocates more than a string.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace sluice::agent {

// Owns a descriptor; -1 is none.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() { reset(); }

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// "cannot WHAT PATH: errno's text"; reads errno.
Error system_error(std::string_view what, std::string_view path);

// Whole file; an empty string when it does not exist is an error too. Errors: io_error.
Result<std::string> read_file(const std::string& path);
// Replaces the file by a temporary one renamed over it. Errors: io_error.
Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode);
// One write() of a short text to a kernel file (cgroup, /proc). Errors: io_error with the path.
Result<void> write_kernel_file(const std::string& path, std::string_view text);
// All of it, in spite of signals and short writes. False: errno is set.
bool write_all(int fd, std::string_view bytes);

}  // namespace sluice::agent
