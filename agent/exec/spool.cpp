// spool.cpp: folders and names.
#include "agent/exec/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/wire/codec.h"

namespace sluice::agent {
namespace {

Result<void> make_folders(const std::string& path, mode_t mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const bool is_last = end == std::string::npos;
    if (mkdir(part.c_str(), is_last ? mode : 0755) != 0 && errno != EEXIST)
      return system_error("create", part);
    if (is_last) break;
  }
  if (chmod(path.c_str(), mode) != 0) return system_error("change the mode of", path);
  return {};
}

std::string id_path(const std::string& folder) { return folder + "/spool_id"; }

Result<std::string> read_or_make_id(const std::string& folder) {
  const auto known = Spool::read_id(folder);
  if (known.ok()) return *known;
  unsigned char random[16];
  if (getrandom(random, sizeof random, 0) != sizeof random)
    return system_error("read", "random bytes");
  std::string id;
  for (const unsigned char byte : random) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    id += digits;
  }
  TRY(replace_file(id_path(folder), id, 0600));
  return id;
}

std::optional<RunId> parse_run_name(const char* name) {
  RunId id;
  int end = 0;
  if (std::sscanf(name, "%u.%u%n", &id.job.value, &id.run.value, &end) != 2) return std::nullopt;
  if (name[end] != '\0') return std::nullopt;
  return id;
}

Result<void> write_script(const std::string& path, const SpooledRun& run, std::string_view script) {
  const File file{open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0500)};
  if (!file) return system_error("create", path);
  if (!write_all(file.fd(), script) ||
      ftruncate(file.fd(), static_cast<off_t>(script.size())) != 0 || fchmod(file.fd(), 0500) != 0)
    return system_error("write", path);
  if (run.change_user && fchown(file.fd(), run.user.uid, run.user.gid) != 0)
    return system_error("give to its user", path);
  return {};
}

Result<RunFile> write_run(const std::string& folder, const SpooledRun& run,
                          std::string_view script) {
  if (mkdir(folder.c_str(), 0711) != 0 && errno != EEXIST) return system_error("create", folder);
  if (run.order.role == PartRole::batch_host)
    TRY(write_script(folder + "/slurm_script", run, script));
  return RunFile::create(folder + "/run", run);
}

void remove_folder(const std::string& path) {
  unlink((path + "/slurm_script").c_str());
  unlink((path + "/run").c_str());
  rmdir(path.c_str());
}

std::vector<std::string> entries_of(const std::string& path) {
  std::vector<std::string> names;
  DIR* folder = opendir(path.c_str());
  if (!folder) return names;
  while (const dirent* entry = readdir(folder))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(folder);
  return names;
}

// As many as runs may end at once on a busy node; each is two small files.
constexpr std::size_t free_folders_max = 128;
constexpr off_t free_file_bytes_max = 64 << 10;

}  // namespace

Result<Spool> Spool::open(const std::string& folder) {
  TRY(make_folders(folder, 0711));
  const std::string lock_path = folder + "/lock";
  File lock{::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!lock) return system_error("open", lock_path);
  // An agent that was just killed may need a moment to let go, and the lease guard looks now and
  // then.
  for (int tries = 20; flock(lock.fd(), LOCK_EX | LOCK_NB) != 0; poll(nullptr, 0, 50))
    if (--tries == 0)
      return Error{ErrorCode::locked, folder + ": another sluice-agent uses this spool"};
  TRY(make_folders(folder + "/runs", 0711));
  TRY(make_folders(folder + "/free", 0700));
  for (const std::string& name : entries_of(folder + "/free"))
    remove_folder(folder + "/free/" + name);
  Spool spool{folder, std::move(lock)};
  spool.id_ = TRY(read_or_make_id(folder));
  return spool;
}

Result<std::string> Spool::read_id(const std::string& folder) {
  std::string id = TRY(read_file(id_path(folder)));
  if (id.empty()) return Error{ErrorCode::io_error, id_path(folder) + " is empty"};
  return id;
}

std::string Spool::run_folder(RunId id) const { return folder_ + "/runs/" + run_name(id); }

Result<RunFile> Spool::write(const SpooledRun& run, std::string_view script) {
  const std::string place = run_folder(run.order.id);
  const std::string made = take_folder(run);
  auto file = write_run(made, run, script);
  if (file.ok() && rename(made.c_str(), place.c_str()) == 0) return file;
  if (file.ok()) file = system_error("create", place);
  remove_folder(made);
  return file;
}

std::string Spool::take_folder(const SpooledRun& run) {
  const auto at = std::find_if(free_.begin(), free_.end(), [&](const FreeFolder& folder) {
    return folder.uid == run.user.uid;
  });
  if (at == free_.end()) return folder_ + "/free/" + std::to_string(++folders_made_);
  std::string path = std::move(at->path);
  free_.erase(at);
  return path;
}

Result<RunFile> Spool::open_run(RunId id) const { return RunFile::open(run_folder(id) + "/run"); }

void Spool::remove(RunId id) {
  const std::string path = run_folder(id);
  if (!keep_folder(path)) remove_folder(path);
}

bool Spool::keep_folder(const std::string& run_folder) {
  if (geteuid() != 0) return false;  // only root may write what has mode 0500
  struct stat script {
  }, run{};
  if (lstat((run_folder + "/slurm_script").c_str(), &script) != 0 ||
      lstat((run_folder + "/run").c_str(), &run) != 0)
    return false;
  // A second link would show the next script to whoever reads it.
  if (script.st_nlink != 1 || script.st_size > free_file_bytes_max ||
      run.st_size > free_file_bytes_max)
    return false;
  if (free_.size() >= free_folders_max) {
    remove_folder(free_.front().path);
    free_.pop_front();
  }
  std::string path = folder_ + "/free/" + std::to_string(++folders_made_);
  if (rename(run_folder.c_str(), path.c_str()) != 0) return false;
  free_.push_back({std::move(path), script.st_uid});
  return true;
}

std::vector<RunId> Spool::runs() const {
  std::vector<RunId> all;
  for (const std::string& name : entries_of(folder_ + "/runs"))
    if (const auto id = parse_run_name(name.c_str())) all.push_back(*id);
  return all;
}

Result<void> Spool::remember(const NodeAccepted& accepted) const {
  return replace_file(folder_ + "/accepted", to_bytes(accepted), 0600);
}

std::optional<NodeAccepted> Spool::remembered() const {
  const auto bytes = read_file(folder_ + "/accepted");
  if (!bytes.ok()) return std::nullopt;
  auto accepted = from_bytes<NodeAccepted>(*bytes);
  if (!accepted.ok()) return std::nullopt;
  return *accepted;
}

}  // namespace sluice::agent
