// mailer.h: starts the site's mail program, one at a time, on a thread of its own: never in the way
// of the controller, never more than a bounded number, none longer than a few seconds. It runs as
// an unprivileged user, with arguments: no shell sees a word that a user chose.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/server/worker.h"

namespace sluice {

class Mailer {
 public:
  // Who the program runs as when this process is root: SlurmUser, or nobody where that is root too.
  explicit Mailer(std::uint32_t slurm_uid);
  ~Mailer() { stop(); }

  // PROGRAM -s SUBJECT TO, with an empty body. Drops it, and logs so, when too many wait.
  void send(const std::string& program, const std::string& subject, const std::string& to);
  // What waits is dropped.
  void stop();

 private:
  void run(const std::string& program, const std::string& subject, const std::string& to) const;

  std::uint32_t uid_;
  std::uint32_t gid_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> stopping_ = false;
  Worker thread_{"sluice-mail"};
};

}  // namespace sluice
