// process.h: processes of this machine as `sluice dev` needs them: recognised beyond doubt, started
// as daemons, asked for their output. Must not decide which process is to be ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace sluice::dev {

// A pid comes back after its process ended; together with the start time it does not.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // clock ticks from boot to the start of the process

  bool operator==(const ProcessId&) const = default;
};

struct ProcessInfo {
  ProcessId id;
  pid_t parent = 0;
  char state = '?';  // as in /proc/PID/stat: R, S, T (stopped), Z ...
  long threads = 1;  // above 1 in state Z: its first thread has ended, the process has not
};

// None: there is no such process.
std::optional<ProcessInfo> inspect_process(pid_t pid);
std::vector<ProcessInfo> all_processes();
// The words of the command line; empty for a kernel thread or a process that is gone.
std::vector<std::string> command_line(pid_t pid);

// True while that very process runs; a zombie has ended.
bool is_alive(const ProcessId& id);
// False: it has ended, nothing was sent.
bool send_signal(const ProcessId& id, int signal);
// False: it still runs after `limit`.
bool wait_until_ended(const ProcessId& id, std::chrono::milliseconds limit);

// The process and all that descend from it, parents first.
std::vector<ProcessId> process_tree(const ProcessId& root);

struct DaemonOrder {
  std::vector<std::string> command;  // command[0] is the path of the program
  std::string log_file;              // output and errors are appended to it
  std::string pid_file;              // "PID START_TICKS", written before the program begins
};
// Runs the program in a session of its own, with no ties to the caller. An error means that nothing
// was started.
Result<ProcessId> start_daemon(const DaemonOrder& order);

// What start_daemon() wrote; none: no such file, or not one of ours.
std::optional<ProcessId> read_pid_file(const std::string& path);

struct CommandOutput {
  int exit_code = 0;  // 128 + signal if a signal ended it
  std::string text;   // standard output and error
};
// Runs a command to its end, with SLUICE_CONF set.
Result<CommandOutput> run_command(const std::vector<std::string>& command,
                                  const std::string& config_file);

}  // namespace sluice::dev
