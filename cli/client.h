// client.h: a command's conversation with the controller, over its Unix socket (or, on a host that
// has none, the local agent's socket, which relays the same frames). Blocking, one request at a time.
//
//   Client client(config);
//   Result<SubmitReply> reply = client.call<SubmitReply>(SubmitJob{...});
//
// Errors a call may return, beside those of the controller:
//   no_controller    nobody listens; found out within a second, nothing was sent
//   outcome_unknown  sent, and not answered within MessageTimeout although the request was repeated
//                    on new connections; it may or may not have been done
//   protocol_error   the peer does not speak our protocol
// After an error `notes()` holds the lines the controller wants printed before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/model/config.h"
#include "common/wire/message_codec.h"
#include "common/wire/messages.h"
#include "common/wire/messages_foresee.h"

namespace sluice {

// May the request be sent again after a lost answer: is doing it twice the same as once? Every request
// says so here; one that does not is refused by the compiler.
template <class Request>
bool is_repeatable(const Request&) = delete;
inline bool is_repeatable(const SubmitJob&) { return true; }  // by its key
inline bool is_repeatable(const WaitJob&) { return true; }
inline bool is_repeatable(const Ping&) { return true; }
inline bool is_repeatable(const QueryJobs&) { return true; }
inline bool is_repeatable(const QueryNodes&) { return true; }
inline bool is_repeatable(const QueryConfig&) { return true; }
inline bool is_repeatable(const QueryWhy&) { return true; }
inline bool is_repeatable(const PlanJob&) { return true; }
inline bool is_repeatable(const WatchEvents&) { return true; }
inline bool is_repeatable(const QueryPriorities&) { return true; }
inline bool is_repeatable(const QueryShares&) { return true; }
inline bool is_repeatable(const QueryStatistics&) { return true; }
inline bool is_repeatable(const GetScript&) { return true; }
inline bool is_repeatable(const UpdateNodes&) { return true; }
inline bool is_repeatable(const Reconfigure&) { return true; }
inline bool is_repeatable(const ChangeAccounts&) { return true; }  // by the version it is based on
inline bool is_repeatable(const QueryAccounts&) { return true; }
inline bool is_repeatable(const Backup&) { return true; }
inline bool is_repeatable(const PurgeJobs&) { return true; }
inline bool is_repeatable(const CancelJobs& cancel) { return !cancel.signal.has_value(); }
inline bool is_repeatable(const UpdateJobs& update) {
  return update.action != JobAction::requeue && update.action != JobAction::requeue_hold;
}
inline bool is_repeatable(const QueryReservations&) { return true; }
inline bool is_repeatable(const ChangeReservation&) { return false; }
inline bool is_repeatable(const Shutdown&) { return false; }

class Client {
 public:
  explicit Client(const ClusterConfig& config);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  template <class Reply, class Request>
  Result<Reply> call(const Request& request) {
    Result<std::string> payload = exchange(outgoing(request), Reply::type);
    if (!payload.ok()) return payload.error();
    return from_bytes<Reply>(*payload);
  }

  // For requests whose answer may take for ever (WaitJob): waits without end, and asks again when
  // the controller was restarted meanwhile.
  template <class Reply, class Request>
  Result<Reply> call_and_wait(const Request& request) {
    Outgoing sent = outgoing(request);
    sent.wait_for_ever = true;
    Result<std::string> payload = exchange(sent, Reply::type);
    if (!payload.ok()) return payload.error();
    return from_bytes<Reply>(*payload);
  }

  // For replies that come in parts (Reply has `more`). `visit` gets each part in order; the request
  // is not repeated once a part has arrived.
  template <class Reply, class Request, class Visit>
  Result<void> call_parts(const Request& request, Visit&& visit) {
    Result<std::string> payload = exchange(outgoing(request), Reply::type);
    while (payload.ok()) {
      Result<Reply> part = from_bytes<Reply>(*payload);
      if (!part.ok()) return part.error();
      const bool more = part->more;
      visit(std::move(part).value());
      if (!more) return {};
      payload = next_part(Reply::type);
    }
    return payload.error();
  }

  const std::vector<std::string>& notes() const { return notes_; }
  // The controller's own socket is there; elsewhere the local agent relays.
  bool is_on_controller_host() const;

 private:
  struct Outgoing {
    MessageType type{};
    std::string payload;
    bool repeatable = true;
    bool wait_for_ever = false;
  };
  template <class Request>
  static Outgoing outgoing(const Request& request) {
    return Outgoing{Request::type, to_bytes(request), is_repeatable(request)};
  }

  struct Arrived {
    MessageType type{};
    std::string payload;
  };

  Result<std::string> exchange(const Outgoing& request, MessageType expected);
  Result<Arrived> attempt(const Outgoing& request, SteadyTime deadline, bool& was_sent);
  Result<std::string> next_part(MessageType expected);
  Result<void> connect_to_controller();
  Result<void> connect_to(const std::string& path);
  bool owner_is_trusted(std::uint32_t uid) const;
  Result<void> send(const Outgoing& request, SteadyTime deadline);
  Result<Arrived> receive(SteadyTime deadline);
  Result<std::string> unwrap(Arrived arrived, MessageType expected);
  Result<void> read_exactly(char* into, std::size_t size, SteadyTime deadline);
  void disconnect();

  PathConfig paths_;
  std::string slurm_user_;
  Duration timeout_;
  int socket_ = -1;
  std::uint32_t request_number_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace sluice
