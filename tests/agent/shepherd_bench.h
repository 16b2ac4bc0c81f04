// shepherd_bench.h: a spool of its own with one run in it, and the real shepherd to tend it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "agent/core/spooled_run.h"
#include "agent/exec/cgroup.h"
#include "agent/exec/nursery.h"
#include "agent/exec/run_file.h"

namespace sluice::agent {

struct ShepherdBench {
  ShepherdBench();
  ~ShepherdBench();
  ShepherdBench(const ShepherdBench&) = delete;
  ShepherdBench& operator=(const ShepherdBench&) = delete;

  // Writes the run, in place of an earlier one, and starts its shepherd.
  void start(const std::string& script);
  // Waits until the shepherd has ended; the test fails after 60 s.
  ExitRecord wait();
  ExitRecord run(const std::string& script) {
    start(script);
    return wait();
  }
  void order_kill(Cause cause, std::uint32_t kill_wait_s);
  void order_signal(int value) const;
  void order_time_limit(std::optional<std::uint32_t> time_limit_s);
  // Waits until the job's output has this text; the test fails after 20 s.
  void wait_for_output(const std::string& text) const;
  std::string output() const;
  pid_t start_guard() const;
  static void end_guard(pid_t guard);
  std::string folder() const { return spool + "/runs/1.0"; }
  static bool is_root();

  std::string spool;
  SpooledRun order;  // to be changed before start
  pid_t shepherd = -1;
  std::optional<RunFile> file;
  std::optional<CgroupRoot> cgroups;
  Nursery nursery{SHEPHERD_PATH};
};

// False: it did not hold within 20 s.
bool wait_until(const std::function<bool()>& condition);
// Is there a process with this word in its command line? Zombies do not count.
bool process_exists_with(const std::string& word);

}  // namespace sluice::agent
