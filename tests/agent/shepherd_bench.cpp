// shepherd_bench.cpp: set-up and waiting of the shepherd's tests.
#include "tests/agent/shepherd_bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "agent/exec/file.h"
#include "agent/exec/notify.h"
#include "common/base/clock.h"

namespace sluice::agent {
namespace {

constexpr std::uint32_t nobody = 65534;

}  // namespace

bool wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    poll(nullptr, 0, 2);
  }
  return condition();
}

pid_t ShepherdBench::start_guard() const {
  return spawn_program(SHEPHERD_PATH, {"sluice-lease-guard", "--guard", spool}).value();
}

void ShepherdBench::end_guard(pid_t guard) {
  kill(guard, SIGKILL);
  waitpid(guard, nullptr, 0);
}

bool ShepherdBench::is_root() { return geteuid() == 0; }

ShepherdBench::ShepherdBench() {
  char path[] = "/tmp/sluice-shepherd-test.XXXXXX";
  REQUIRE(mkdtemp(path));
  spool = path;
  chmod(path, 0711);
  std::filesystem::create_directory(spool + "/runs");
  std::filesystem::create_directory(spool + "/job_dir");
  order.node = "n1";
  order.host = "host1";
  order.boot_id = read_boot_id();
  order.order.id = {JobId{1}, RunNumber{0}};
  order.order.work_dir = spool + "/job_dir";
  order.order.output_path = spool + "/job_dir/out";
  order.order.environment = std::string("PATH=/usr/bin:/bin\0A=submitted\0", 31);
  order.order.job_environment = {"SLURM_JOB_ID=1"};
  order.user = {geteuid(), getegid(), "me", "/nonexistent/me", "/bin/sh", {getegid()}};
  if (!is_root()) return;
  order.user = {nobody, nobody, "nobody", "/nonexistent", "/usr/sbin/nologin", {nobody}};
  order.change_user = true;
  REQUIRE(chown((spool + "/job_dir").c_str(), nobody, nobody) == 0);
  cgroups = prepare_cgroup_root("test." + std::to_string(getpid()));
  order.cgroup = place_of_run(*cgroups, order.order.id);
}

ShepherdBench::~ShepherdBench() {
  if (shepherd > 0) {
    kill(shepherd, SIGKILL);
    waitpid(shepherd, nullptr, 0);
    while (!kill_cgroup(order.cgroup)) poll(nullptr, 0, 1);
    (void)remove_cgroup(order.cgroup).ok();
  }
  if (cgroups) (void)remove_cgroup(cgroups->node).ok();
  std::filesystem::remove_all(spool);
}

void ShepherdBench::start(const std::string& script) {
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  const std::string script_path = folder() + "/slurm_script";
  REQUIRE(replace_file(script_path, script, 0500).ok());
  if (is_root()) REQUIRE(chown(script_path.c_str(), order.user.uid, order.user.gid) == 0);
  file.emplace(RunFile::create(folder() + "/run", order).value());
  shepherd = nursery.start_shepherd(folder()).value();
}

ExitRecord ShepherdBench::wait() {
  const File watch{static_cast<int>(syscall(SYS_pidfd_open, shepherd, 0))};
  pollfd waited{watch.fd(), POLLIN, 0};
  REQUIRE(poll(&waited, 1, 60'000) == 1);
  int status = 0;
  REQUIRE(waitpid(shepherd, &status, 0) == shepherd);
  shepherd = -1;
  REQUIRE(status == 0);
  const auto record = file->exit();
  REQUIRE(record.has_value());
  REQUIRE(record->id == order.order.id);
  for (const std::string* path : {&order.cgroup.memory, &order.cgroup.pids})
    if (!path->empty()) REQUIRE_FALSE(std::filesystem::exists(*path));
  return *record;
}

void ShepherdBench::order_kill(Cause cause, std::uint32_t kill_wait_s) {
  REQUIRE(file->write_kill_order({order.order.id, std::move(cause), kill_wait_s}).ok());
  REQUIRE(kill(shepherd, kill_order_signal()) == 0);
}

void ShepherdBench::order_signal(int value) const {
  sigval content{};
  content.sival_int = value;
  REQUIRE(sigqueue(shepherd, signal_order_signal(), content) == 0);
}

void ShepherdBench::order_time_limit(std::optional<std::uint32_t> time_limit_s) {
  REQUIRE(file->write_time_limit({order.order.id, time_limit_s}).ok());
  REQUIRE(kill(shepherd, time_limit_signal()) == 0);
}

void ShepherdBench::wait_for_output(const std::string& text) const {
  REQUIRE(wait_until([&] { return output().find(text) != std::string::npos; }));
}

std::string ShepherdBench::output() const {
  const auto text = read_file(order.order.output_path);
  return text.ok() ? *text : "";
}

bool process_exists_with(const std::string& word) {
  DIR* folder = opendir("/proc");
  bool found = false;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const auto text = read_file(std::string("/proc/") + entry->d_name + "/cmdline");
    if (text.ok() && text->find(word) != std::string::npos) found = true;
  }
  closedir(folder);
  return found;
}

}  // namespace sluice::agent
