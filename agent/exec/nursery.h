// nursery.h: starts the shepherds of a node. One process that is sluice-shepherd already forks
// them: most of what a fresh program costs is its exec and the C library's first steps (on virtual
// machines the library's questions to the processor are slow), and a fork has these behind it. A
// nursery's shepherds are children of the agent (CLONE_PARENT), as if the agent had started them,
// and outlive both.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "agent/exec/file.h"
#include "common/base/result.h"

namespace sluice::agent {

// A process of `program`, with all signals blocked and an empty environment. `socket`: it finds it
// as descriptor 3; -1: none. `arguments` begin with the process's name. Errors: io_error.
Result<pid_t> spawn_program(const std::string& program, const std::vector<std::string>& arguments,
                            int socket = -1);

class Nursery {
 public:
  // `program`: the path of sluice-shepherd. Starts nothing yet.
  explicit Nursery(std::string program) : program_(std::move(program)) {}
  ~Nursery() { end(); }
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  // A child of this process that tends the run. Waits for the fork, a part of a millisecond. A
  // nursery that is gone, or silent for a second, is replaced once. Errors: io_error.
  Result<pid_t> start_shepherd(const std::string& run_folder);

  pid_t pid() const { return pid_; }  // -1: none runs

 private:
  Result<void> start();
  void end();
  Result<pid_t> ask(const std::string& run_folder) const;

  std::string program_;
  pid_t pid_ = -1;
  File line_;
};

// What a nursery answers to the path of a run's folder.
struct NurseryAnswer {
  pid_t shepherd = -1;
  int error = 0;  // errno of a fork that failed
};
constexpr int nursery_socket = 3;

}  // namespace sluice::agent
