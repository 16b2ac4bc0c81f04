// guard.cpp: sleeps until the lease may have lapsed, then looks at every run of the spool.
#include "agent/shepherd/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "agent/exec/cgroup.h"
#include "agent/exec/file.h"
#include "agent/exec/lease_page.h"
#include "agent/exec/process.h"
#include "agent/exec/run_file.h"
#include "agent/shepherd/ending.h"
#include "common/base/clock.h"

namespace sluice::agent {
namespace {

// What a shepherd that is not frozen needs to kill and reap its run.
constexpr Duration shepherds_time = std::chrono::seconds{2};
constexpr Duration look_interval_max = std::chrono::seconds{5};
constexpr Duration kill_again_interval = std::chrono::milliseconds{50};

bool agent_is_dead(const std::string& spool) {
  const File lock{open((spool + "/lock").c_str(), O_RDWR | O_CLOEXEC)};
  return !lock || flock(lock.fd(), LOCK_EX | LOCK_NB) == 0;
}

// The whole spool is gone; what may lie at its path now is another one, with another lease.
bool was_removed(const File& file) {
  struct stat status {};
  return fstat(file.fd(), &status) != 0 || status.st_nlink == 0;
}

std::vector<std::string> run_files(const std::string& spool) {
  std::vector<std::string> paths;
  DIR* folder = opendir((spool + "/runs").c_str());
  if (!folder) return paths;
  while (const dirent* entry = readdir(folder))
    if (entry->d_name[0] != '.') paths.push_back(spool + "/runs/" + entry->d_name + "/run");
  closedir(folder);
  return paths;
}

// True: nothing of a leased run lives there (any more). Before it kills it leaves the order to do
// so: a shepherd that wakes up when the lease is valid again still learns why its script died.
bool end_overstayed(const std::string& run_file) {
  auto file = RunFile::open(run_file);
  if (!file.ok() || file->exit() || file->mark().pid == 0) return true;
  const auto run = file->order();
  if (!run.ok() || !run->order.leased) return true;
  const bool has_cgroup = run->cgroup.version != 0;
  const std::vector<pid_t> left =
      has_cgroup ? cgroup_members(run->cgroup) : processes_with_environment(run->mark);
  if (left.empty()) return true;
  if (!file->kill_order(run->order.id))
    (void)file
        ->write_kill_order({.id = run->order.id, .cause = lease_cause(*run), .kill_wait_s = 0})
        .ok();
  if (has_cgroup) return kill_cgroup(run->cgroup);
  for (const pid_t pid : left) kill(pid, SIGKILL);
  return false;
}

bool end_all_overstayed(const std::string& spool) {
  bool nothing_lives = true;
  for (const std::string& path : run_files(spool)) nothing_lives &= end_overstayed(path);
  return nothing_lives;
}

void sleep_for(Duration time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  poll(nullptr, 0, static_cast<int>(std::max<std::int64_t>(ms, 1)));
}

}  // namespace

Result<void> guard_leases(const std::string& spool) {
  const std::string lock_path = spool + "/guard";
  const File lock{open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!lock) return system_error("open", lock_path);
  if (flock(lock.fd(), LOCK_EX | LOCK_NB) != 0) return {};
  const LeasePage lease = TRY(LeasePage::open(spool + "/lease"));
  for (;;) {
    if (was_removed(lock)) return {};
    if (agent_is_dead(spool) && run_files(spool).empty()) return {};
    const SteadyTime now = read_clocks().steady;
    const SteadyTime until = lease.until();
    const bool lapsed = until != SteadyTime::max() && now >= until + shepherds_time;
    if (lapsed && !end_all_overstayed(spool)) {
      sleep_for(kill_again_interval);
      continue;
    }
    Duration wait = look_interval_max;
    if (!lapsed && until != SteadyTime::max()) wait = std::min(wait, until + shepherds_time - now);
    sleep_for(wait);
  }
}

}  // namespace sluice::agent
