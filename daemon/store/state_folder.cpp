// state_folder.cpp: see state_folder.h.
#include "daemon/store/state_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

namespace sluice {
namespace {

Result<UniqueFd> open_private_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return file_error(path, "state folder cannot be opened", errno);
  if (::fchmod(folder.get(), 0700) != 0)
    return file_error(path, "state folder cannot be made private", errno);
  return folder;
}

std::string describe_holder() {
  char host[256] = "";
  (void)::gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32] = "";
  (void)std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local);
  return fmt::format("pid {} on host {}, since {}", ::getpid(), host, text);
}

Error held_by_another(const std::string& folder, const std::string& lock_path) {
  const Result<std::optional<std::string>> holder = read_file(lock_path, 4096);
  const bool is_known = holder.ok() && holder.value() && !holder.value()->empty();
  return Error{ErrorCode::locked, fmt::format("state folder {} is in use by {}", folder,
                                              is_known ? *holder.value() : "another controller")};
}

// Locks of the open file description: unlike POSIX record locks they are not lost when some other
// descriptor of the file is closed, and a child that execs does not keep them.
bool lock_file(int fd) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

}  // namespace

Result<StateFolder> StateFolder::open(const std::string& path) {
  UniqueFd folder = TRY(open_private_folder(path));
  const std::string lock_path = path + "/lock";
  // Some network file systems cannot lock a folder; there the lock file alone has to do.
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return held_by_another(path, lock_path);
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return file_error(lock_path, "cannot be opened", errno);
  if (!lock_file(lock.get())) {
    if (errno == EAGAIN || errno == EACCES) return held_by_another(path, lock_path);
    return file_error(lock_path, "cannot be locked", errno);
  }
  if (::ftruncate(lock.get(), 0) != 0) return file_error(lock_path, "cannot be written", errno);
  TRY(write_all(lock.get(), describe_holder(), lock_path));
  return StateFolder(path, std::move(folder), std::move(lock));
}

}  // namespace sluice
