// file.cpp: see file.h.
#include "common/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace sluice {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

std::string errno_text(int error_number) {
  return std::generic_category().message(error_number);
}

Error file_error(const std::string& path, std::string_view what, int error_number) {
  return Error{ErrorCode::io_error,
               fmt::format("{}: {} ({})", path, what, errno_text(error_number))};
}

Result<std::optional<std::string>> read_file(const std::string& path, std::size_t limit) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::optional<std::string>{};
  if (!file) return file_error(path, "cannot be opened", errno);
  std::string bytes;
  char part[16384];
  while (true) {
    const ssize_t got = ::read(file.get(), part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error(path, "cannot be read", errno);
    if (got == 0) return std::optional<std::string>{std::move(bytes)};
    bytes.append(part, static_cast<std::size_t>(got));
    if (bytes.size() > limit)
      return Error{ErrorCode::limit_exceeded,
                   fmt::format("{}: larger than {} bytes", path, limit)};
  }
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return file_error(path, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes) {
  const std::string fresh = path + ".new";
  const UniqueFd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return file_error(fresh, "cannot be made", errno);
  TRY(write_all(file.get(), bytes, fresh));
  if (::fsync(file.get()) != 0) return file_error(fresh, "cannot be synced", errno);
  if (::rename(fresh.c_str(), path.c_str()) != 0)
    return file_error(path, "cannot be replaced", errno);
  return sync_folder(folder_of(path));
}

Result<void> sync_folder(const std::string& folder) {
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return file_error(folder, "cannot be opened", errno);
  if (::fsync(opened.get()) != 0) return file_error(folder, "cannot be synced", errno);
  return {};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace sluice
