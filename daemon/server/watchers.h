// watchers.h: questions for events that have not happened yet. They wait here and are asked again
// when something was committed, at most twenty times a second, so that many watchers cost a busy
// controller little. Loop only; the store is read on the reader thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/net/io_fwd.h"
#include "daemon/rpc/session.h"

namespace sluice {

class Watchers {
 public:
  using Read = std::function<void(const RequestRef& to, ReadTask task)>;
  using IsThere = std::function<bool(const RequestRef& ref)>;

  Watchers(IoContext& io, Read read, IsThere is_there);
  ~Watchers();

  void ask(const RequestRef& ref, WatchEvents wanted);
  void on_committed();  // events, among others
  void forget(std::uint64_t connection);

 private:
  struct Waiting {
    RequestRef ref;
    WatchEvents wanted;
  };
  struct Timer;

  void wait(Waiting waiting, std::uint64_t asked_at);
  void ask_again_soon();
  void ask_all_again();

  IoContext& io_;
  Read read_;
  IsThere is_there_;
  std::vector<Waiting> waiting_;
  std::uint64_t commits_ = 0;
  bool is_pausing_ = false;   // between two rounds
  bool wants_round_ = false;  // something was committed in the pause
  std::unique_ptr<Timer> pause_;
};

}  // namespace sluice
