// purger.cpp: see purger.h.
#include "daemon/server/purger.h"

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/log/log.h"

namespace sluice {

Purger::Purger(IoContext& io, Store& store, Worker& store_thread, Answer answer)
    : io_(io), store_(store), store_thread_(store_thread), answer_(std::move(answer)) {}

void Purger::ask(const RequestRef& to, const PurgeJobs& wanted, PurgeOrder order) {
  if (!waiting_.empty() && wanted != under_way_)
    return answer_(to, Error{ErrorCode::locked,
                             fmt::format("jobs are being moved to {}; ask again when that is over",
                                         under_way_.path)});
  waiting_.push_back(to);
  if (waiting_.size() > 1) return;
  under_way_ = wanted;
  log_info("jobs that ended before {} go to {}", utc_text(order.before), order.archive);
  // It has time, and must not take any from the loop.
  if (!archive_thread_) archive_thread_ = std::make_unique<Worker>("sluice-archive", 10);
  store_thread_.post([this, order = std::move(order)] {
    purge_ = store_.begin_purge(order);
    prepare_next();
  });
}

void Purger::prepare_next() {
  archive_thread_->post([this] {
    const auto ready = std::make_shared<const Result<bool>>(purge_->prepare());
    if (!ready->ok() || !**ready) {
      boost::asio::post(io_, [this, ready] {
        finish(ready->ok() ? Result<void>{} : Result<void>{ready->error()});
      });
      return;
    }
    store_thread_.post([this] {
      const auto done = std::make_shared<const Result<void>>(purge_->apply());
      if (done->ok()) prepare_next();
      else boost::asio::post(io_, [this, done] { finish(*done); });
    });
  });
}

void Purger::finish(const Result<void>& done) {
  const PurgeSummary moved = purge_->summary();
  // It has statements of the store's connection.
  store_thread_.post([ended = std::exchange(purge_, nullptr)]() mutable { ended.reset(); });
  log_info("{} jobs and {} events moved to {}{}", moved.jobs, moved.events, under_way_.path,
               done.ok() ? "" : "; it broke off: " + to_text(done.error()));
  Result<PurgeReply> reply = PurgeReply{.jobs = moved.jobs,
                                        .events = moved.events,
                                        .first_ended = moved.first_ended,
                                        .last_ended = moved.last_ended,
                                        .bytes_freed = moved.bytes_freed};
  if (!done.ok()) reply = done.error();
  for (const RequestRef& to : std::exchange(waiting_, {})) answer_(to, reply);
}

void Purger::stop() {
  if (archive_thread_) archive_thread_->stop();
}

}  // namespace sluice
