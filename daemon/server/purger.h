// purger.h: one purge at a time, piece by piece: a thread of its own copies into the archive, the
// store thread removes, and between two pieces commits have their turn. Loop only, but for its own
// tasks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/io_fwd.h"
#include "common/wire/messages.h"
#include "daemon/rpc/session.h"
#include "daemon/server/worker.h"
#include "daemon/store/store.h"

namespace sluice {

class Purger {
 public:
  using Answer = std::function<void(const RequestRef& to, const Result<PurgeReply>& reply)>;

  // All outlive this object.
  Purger(IoContext& io, Store& store, Worker& store_thread, Answer answer);

  // Answers when nothing is left to move; who asks for what is under way is answered with it.
  // Errors: locked (another purge is under way), those of Purge.
  void ask(const RequestRef& to, const PurgeJobs& wanted, PurgeOrder order);
  // Before the store thread stops: the piece under way is the last.
  void stop();

 private:
  void prepare_next();
  void finish(const Result<void>& done);

  IoContext& io_;
  Store& store_;
  Worker& store_thread_;
  const Answer answer_;
  PurgeJobs under_way_;
  std::vector<RequestRef> waiting_;  // empty: none is under way
  std::shared_ptr<Purge> purge_;
  std::unique_ptr<Worker> archive_thread_;
};

}  // namespace sluice
