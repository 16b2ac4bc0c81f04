// executor.cpp: taking orders into the spool, starting shepherds, and what is found at start.
#include "agent/exec/executor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/exec/notify.h"
#include "agent/exec/process.h"

namespace sluice::agent {

Executor::Executor(Reactor& reactor, Spool& spool, LeasePage& lease, ExecutorSetup setup,
                   std::function<void(Event)> report,
                   std::function<void(const std::string&)> warn)
    : reactor_(reactor), spool_(spool), lease_(lease), setup_(std::move(setup)),
      report_(std::move(report)), warn_(std::move(warn)), users_(reactor), nursery_(setup_.shepherd_path) {}

Executor::~Executor() {
  if (notices_) reactor_.forget(notices_.fd());
  if (guard_watch_) reactor_.forget(guard_watch_.fd());
  for (auto& [id, run] : runs_)
    if (run.shepherd_watch) reactor_.forget(run.shepherd_watch.fd());
}

Executor::Tended* Executor::find(RunId id) {
  const auto at = runs_.find(id);
  return at == runs_.end() ? nullptr : &at->second;
}

std::string Executor::mark_of(RunId id) const {
  return "SLUICE_RUN=" + spool_.id() + ":" + run_name(id);
}

// --- taking an order ---------------------------------------------------------------------------

void Executor::carry_out(SpoolOrder effect) {
  const RunId id = effect.order.id;
  const std::uint32_t uid = effect.order.uid;
  if (geteuid() != 0 && uid != geteuid())
    return report_(OrderNotSpooled{id, ErrorCode::access_denied,
                                   "the agent of " + setup_.node + " runs as uid " +
                                       std::to_string(geteuid()) +
                                       ", not as root, and cannot start a job of uid " +
                                       std::to_string(uid),
                                   false});
  users_.find(uid, [this, effect = std::move(effect)](const std::optional<UserIdentity>& user) {
    spool_as(effect, user);
  });
}

void Executor::spool_as(SpoolOrder effect, const std::optional<UserIdentity>& user) {
  const RunId id = effect.order.id;
  if (!user)
    return report_(OrderNotSpooled{id, ErrorCode::unknown_user,
                                   "no account of uid " + std::to_string(effect.order.uid) +
                                       " (" + effect.order.user + ") on node " + setup_.node,
                                   false});
  const std::string script = std::move(effect.order.script);
  effect.order.script.clear();
  const SpooledRun run = complete(effect, *user);
  auto file = spool_.write(run, script);
  if (!file.ok())
    return report_(OrderNotSpooled{id, file.error().code,
                                   "the spool of " + setup_.node + ": " + file.error().detail,
                                   true});
  Tended& tended = runs_.insert_or_assign(id, Tended{std::move(*file)}).first->second;
  tended.cgroup = run.cgroup;
  tended.mark = run.mark;
  report_(OrderSpooled{id});
}

SpooledRun Executor::complete(SpoolOrder& effect, const UserIdentity& user) const {
  SpooledRun run;
  run.order = std::move(effect.order);
  run.node = setup_.node;
  run.host = setup_.host;
  run.boot_id = setup_.boot_id;
  run.user = user;
  run.user.gid = run.order.gid;
  run.change_user = geteuid() == 0;
  if (run.order.role == PartRole::batch_host)
    run.cgroup = place_of_run(setup_.cgroups, run.order.id);
  run.pids_max = setup_.pids_max;
  run.kill_wait_s = effect.kill_wait_s;
  run.mark = mark_of(run.order.id);
  return run;
}

// --- starting ----------------------------------------------------------------------------------

void Executor::carry_out(const SpawnShepherd& effect) {
  Tended* run = find(effect.id);
  if (!run) return report_(ShepherdNotSpawned{effect.id, "its file is gone"});
  const auto pid = nursery_.start_shepherd(spool_.run_folder(effect.id));
  if (!pid.ok()) return report_(ShepherdNotSpawned{effect.id, pid.error().detail});
  if (const auto watched = watch(effect.id, *run, *pid); !watched.ok())
    report_(ShepherdNotSpawned{effect.id, watched.error().detail});
}

Result<void> Executor::watch(RunId id, Tended& run, pid_t shepherd) {
  run.shepherd_watch = File{static_cast<int>(syscall(SYS_pidfd_open, shepherd, 0))};
  if (!run.shepherd_watch) {
    const Error error = system_error("watch", "the shepherd");
    kill(shepherd, SIGKILL);
    waitpid(shepherd, nullptr, 0);
    return error;
  }
  run.shepherd = shepherd;
  reactor_.when_readable(run.shepherd_watch.fd(), [this, id] { on_shepherd_gone(id); });
  return {};
}

void Executor::on_shepherd_gone(RunId id) {
  Tended* run = find(id);
  if (!run) return;
  reactor_.forget(run->shepherd_watch.fd());
  waitpid(run->shepherd, nullptr, WNOHANG);  // an adopted one is not our child; then it does nothing
  run->shepherd_watch.reset();
  run->shepherd = -1;
  if (auto record = run->file.exit()) {
    sync_later(id);
    return report_(ShepherdGone{id, std::move(record)});
  }
  // Two may have been started for one run around a death of the agent; the lock says who has it.
  const auto holder = run->file.holder();
  if (holder && watch(id, *run, *holder).ok()) return;
  report_(ShepherdGone{id, std::nullopt});
}

// --- notices -----------------------------------------------------------------------------------

Result<void> Executor::listen() {
  // By a path through the folder's descriptor: the spool's own may be longer than a socket's may be.
  const File folder{open(spool_.folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!folder) return system_error("open", spool_.folder());
  unlink(spool_.notify_path().c_str());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder.fd()) + "/notify";
  std::memcpy(address.sun_path, path.data(), path.size());
  notices_ = File{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const mode_t mask = umask(0177);
  const bool bound = notices_ && bind(notices_.fd(), reinterpret_cast<const sockaddr*>(&address),
                                      sizeof address) == 0;
  umask(mask);
  if (!bound) return system_error("listen on", spool_.notify_path());
  reactor_.when_readable(notices_.fd(), [this] { on_notice(); });
  return {};
}

void Executor::on_notice() {
  StartedNotice notice;
  while (recv(notices_.fd(), &notice, sizeof notice, MSG_DONTWAIT) == sizeof notice) {
    const RunId id{JobId{notice.job}, RunNumber{notice.run}};
    if (find(id)) report_(ScriptStarted{id, wall_from_us(notice.started_wall_us)});
  }
  reactor_.when_readable(notices_.fd(), [this] { on_notice(); });
}

// --- at start ----------------------------------------------------------------------------------

std::vector<RunFound> Executor::find_runs() {
  std::vector<RunFound> all;
  for (const RunId id : spool_.runs()) {
    auto found = find_run(id);
    if (found.ok()) {
      all.push_back(std::move(*found));
      continue;
    }
    // Half written: it was never acknowledged.
    warn_("removed " + spool_.run_folder(id) + ": " + found.error().detail);
    runs_.erase(id);
    spool_.remove(id);
  }
  return all;
}

Result<RunFound> Executor::find_run(RunId id) {
  RunFile opened = TRY(spool_.open_run(id));
  const SpooledRun order = TRY(opened.order());
  if (order.order.id != id)
    return Error{ErrorCode::protocol_error, "it has the order of run " + run_name(order.order.id)};
  Tended& run = runs_.insert_or_assign(id, Tended{std::move(opened)}).first->second;
  run.cgroup = order.cgroup;
  run.mark = order.mark;
  RunFound found;
  found.order = order.order;
  found.order.environment.clear();
  if (const auto changed = run.file.time_limit()) found.order.time_limit_s = changed->time_limit_s;
  ShepherdMark mark = run.file.mark();
  const auto note_start = [&] {
    if (mark.started_wall_us != 0) found.started_wall = wall_from_us(mark.started_wall_us);
  };
  note_start();
  found.record = run.file.exit();
  if (found.record) return found.as = FoundAs::finished, found;
  if (order.boot_id != setup_.boot_id) return found.as = FoundAs::rebooted, found;
  if (run.file.try_lock()) {
    found.as = mark.pid == 0 ? FoundAs::never_started : FoundAs::shepherd_lost;
    // A shepherd that was started a moment before the last agent died must find the run taken.
    if (mark.pid == 0) TRY(run.file.write_mark({getpid(), 0, 0}));
    return found;
  }
  const auto holder = run.file.holder();
  if (holder && watch(id, run, *holder).ok() && run.file.holder() == holder) {
    mark = run.file.mark();
    note_start();
    return found.as = FoundAs::alive, found;
  }
  // It left between two looks: look again at what it left behind.
  if (run.shepherd_watch) reactor_.forget(run.shepherd_watch.fd());
  runs_.erase(id);
  return find_run(id);
}

}  // namespace sluice::agent
