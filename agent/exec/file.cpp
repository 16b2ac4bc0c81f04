// file.cpp: thin wrappers of system calls.
#include "agent/exec/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace sluice::agent {

void File::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Error system_error(std::string_view what, std::string_view path) {
  const char* text = strerror(errno);
  std::string detail = "cannot ";
  detail.append(what).append(" ").append(path).append(": ").append(text);
  return Error{ErrorCode::io_error, std::move(detail)};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<std::string> read_file(const std::string& path) {
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  if (!file) return system_error("open", path);
  std::string bytes;
  char part[4096];
  for (;;) {
    const ssize_t size = read(file.fd(), part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_error("read", path);
    if (size == 0) return bytes;
    bytes.append(part, static_cast<std::size_t>(size));
  }
}

Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string temporary = path + ".new";
  const File file{open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                       static_cast<mode_t>(mode))};
  if (!file) return system_error("create", temporary);
  if (!write_all(file.fd(), bytes) || fdatasync(file.fd()) != 0) {
    const Error error = system_error("write", temporary);
    unlink(temporary.c_str());
    return error;
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) return system_error("rename to", path);
  return {};
}

Result<void> write_kernel_file(const std::string& path, std::string_view text) {
  const File file{open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!file) return system_error("open", path);
  if (write(file.fd(), text.data(), text.size()) < 0) return system_error("write", path);
  return {};
}

}  // namespace sluice::agent
