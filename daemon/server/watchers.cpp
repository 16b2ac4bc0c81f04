// watchers.cpp: see watchers.h.
#include "daemon/server/watchers.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/rpc/events.h"

namespace sluice {
namespace {
constexpr std::chrono::milliseconds pause_between_rounds{50};
}

struct Watchers::Timer {
  explicit Timer(IoContext& io) : timer(io) {}
  boost::asio::steady_timer timer;
};

Watchers::Watchers(IoContext& io, Read read, IsThere is_there)
    : io_(io),
      read_(std::move(read)),
      is_there_(std::move(is_there)),
      pause_(std::make_unique<Timer>(io)) {}

Watchers::~Watchers() = default;

void Watchers::ask(const RequestRef& ref, WatchEvents wanted) {
  read_(ref, [this, ref, wanted = std::move(wanted), asked_at = commits_](
                 ReadContext& context, const SendFrame& send) mutable {
    Result<EventsReply> reply = read_events(context, wanted);
    if (!reply)
      return send(MessageType::error_reply,
                  to_bytes(ErrorReply{reply.error().code, reply.error().detail, {}}));
    if (!reply->events.empty() || !wanted.wait || wanted.token.empty())
      return send(MessageType::events_reply, to_bytes(*reply));
    wanted.token = reply->token;  // what was looked at need not be looked at again
    boost::asio::post(io_, [this, waiting = Waiting{ref, std::move(wanted)}, asked_at]() mutable {
      wait(std::move(waiting), asked_at);
    });
  });
}

void Watchers::wait(Waiting waiting, std::uint64_t asked_at) {
  if (!is_there_(waiting.ref)) return;
  waiting_.push_back(std::move(waiting));
  if (asked_at != commits_) ask_again_soon();  // it did not see the last commit
}

void Watchers::on_committed() {
  ++commits_;
  ask_again_soon();
}

void Watchers::ask_again_soon() {
  if (is_pausing_) wants_round_ = true;
  else ask_all_again();
}

void Watchers::ask_all_again() {
  if (waiting_.empty()) return;
  for (Waiting& waiting : std::exchange(waiting_, {})) ask(waiting.ref, std::move(waiting.wanted));
  is_pausing_ = true;
  pause_->timer.expires_after(pause_between_rounds);
  pause_->timer.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    is_pausing_ = false;
    if (std::exchange(wants_round_, false)) ask_all_again();
  });
}

void Watchers::forget(std::uint64_t connection) {
  std::erase_if(waiting_,
                [&](const Waiting& waiting) { return waiting.ref.connection == connection; });
}

}  // namespace sluice
