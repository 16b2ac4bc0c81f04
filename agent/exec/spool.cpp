// spool.cpp: folders and names.
#include "agent/exec/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

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

Result<void> write_script(const std::string& path, const SpooledRun& run,
                          std::string_view script) {
  const File file{open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0500)};
  if (!file) return system_error("create", path);
  if (!write_all(file.fd(), script)) return system_error("write", path);
  if (run.change_user && fchown(file.fd(), run.user.uid, run.user.gid) != 0)
    return system_error("give to its user", path);
  return {};
}

}  // namespace

Result<Spool> Spool::open(const std::string& folder) {
  TRY(make_folders(folder, 0711));
  const std::string lock_path = folder + "/lock";
  File lock{::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!lock) return system_error("open", lock_path);
  // An agent that was just killed may need a moment to let go, and the lease guard looks now and then.
  for (int tries = 20; flock(lock.fd(), LOCK_EX | LOCK_NB) != 0; poll(nullptr, 0, 50))
    if (--tries == 0)
      return Error{ErrorCode::locked, folder + ": another sluice-agent uses this spool"};
  TRY(make_folders(folder + "/runs", 0711));
  Spool spool{folder, std::move(lock)};
  spool.id_ = TRY(read_or_make_id(folder));
  return spool;
}

Result<std::string> Spool::read_id(const std::string& folder) {
  std::string id = TRY(read_file(id_path(folder)));
  if (id.empty()) return Error{ErrorCode::io_error, id_path(folder) + " is empty"};
  return id;
}

std::string Spool::run_folder(RunId id) const {
  return folder_ + "/runs/" + std::to_string(id.job.value) + "." + std::to_string(id.run.value);
}

Result<RunFile> Spool::write(const SpooledRun& run, std::string_view script) const {
  const RunId id = run.order.id;
  const std::string run_folder_path = run_folder(id);
  if (mkdir(run_folder_path.c_str(), 0711) != 0) return system_error("create", run_folder_path);
  const auto write_all_of_it = [&]() -> Result<RunFile> {
    if (run.order.role == PartRole::batch_host)
      TRY(write_script(run_folder_path + "/slurm_script", run, script));
    return RunFile::create(run_folder_path + "/run", run);
  };
  auto file = write_all_of_it();
  if (!file.ok()) remove(id);
  return file;
}

Result<RunFile> Spool::open_run(RunId id) const { return RunFile::open(run_folder(id) + "/run"); }

void Spool::remove(RunId id) const {
  const std::string path = run_folder(id);
  unlink((path + "/slurm_script").c_str());
  unlink((path + "/run").c_str());
  rmdir(path.c_str());
}

std::vector<RunId> Spool::runs() const {
  std::vector<RunId> all;
  DIR* runs_folder = opendir((folder_ + "/runs").c_str());
  if (!runs_folder) return all;
  while (const dirent* entry = readdir(runs_folder))
    if (const auto id = parse_run_name(entry->d_name)) all.push_back(*id);
  closedir(runs_folder);
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
