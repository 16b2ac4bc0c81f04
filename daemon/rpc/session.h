// session.h: what a message handler needs of the outside: who asks, where answers go, and the threads
// that do the work. The server implements it; nothing here knows sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/wire/message_codec.h"
#include "common/wire/messages_priority.h"
#include "daemon/core/events.h"
#include "daemon/core/state.h"
#include "daemon/store/store.h"

namespace sluice {

// One peer, as far as it proved itself. A command behind an agent's relay is a session of its own.
class Session {
 public:
  virtual ~Session() = default;

  virtual std::uint64_t id() const = 0;
  virtual void send(std::uint32_t request, MessageType type, std::string payload) = 0;
  virtual void close() = 0;

  Caller caller;        // of a command
  std::string node;     // of an agent: the name its key proved; empty for commands
  std::string address;  // where it comes from, for logs
  bool registered = false;  // an agent that was accepted, as its node or as a login host
  bool login = false;       // an agent of a login host

  template <class Message>
  void answer(std::uint32_t request, const Message& message) {
    static_assert(has_codec<Message>, "its name belongs into SLUICE_ENCODED_TYPES");
    send(request, Message::type, to_bytes(message));
  }
  template <class Message>
  void answer_or_refuse(std::uint32_t request, const Result<Message>& result) {
    if (result.ok()) answer(request, *result);
    else answer(request, ErrorReply{result.error().code, result.error().detail, {}});
  }
};

// What reader threads may use: the committed past only.
struct ReadContext {
  std::shared_ptr<const Snapshot> snapshot;
  HistoryReader& history;
  WallTime as_of;
};

// A reader's answer may be several frames.
using SendFrame = std::function<void(MessageType type, std::string payload)>;
using ReadTask = std::function<void(ReadContext& context, const SendFrame& send)>;

class Services {
 public:
  virtual ~Services() = default;

  virtual void feed(Event event) = 0;
  // Runs on a reader thread; the frames go to `to`.
  virtual void read(const RequestRef& to, ReadTask task) = 0;
  // The same, of a snapshot that has an outlook; what a task costs, all readers behind it wait for.
  virtual void foresee(const RequestRef& to, ReadTask task) = 0;
  // Answers when there is something to tell.
  virtual void watch(const RequestRef& to, WatchEvents wanted) = 0;
  // Looks the names up (LDAP may be slow: on another thread), then calls back on the loop.
  virtual void with_user_names(std::uint32_t uid, std::uint32_t gid,
                               std::function<void(std::string user, std::string group)> then) = 0;
  virtual const State& state() const = 0;
  virtual void count_request(const char* message) = 0;  // for monitoring
  virtual void count_refusal() = 0;
  virtual HistoryReader& history() = 0;  // of the loop's own thread: single rows only
  // `look` runs on a reader thread, then `then` on the loop.
  virtual void with_history(std::function<void(HistoryReader&)> look,
                            std::function<void()> then) = 0;
  virtual bool store_is_full() = 0;
  virtual void keep_blob(const StoredBlob& blob) = 0;      // may be asked for soon
  virtual Result<std::shared_ptr<const std::string>> find_blob(const std::string& content_id) = 0;
  // Answers `asked_by` when what was read holds; on an error nothing changes and the caller answers.
  virtual Result<void> reconfigure(std::optional<RequestRef> asked_by) = 0;
  virtual void backup(const RequestRef& to, const std::string& path) = 0;
  // Answers when it is over, with PurgeReply.
  virtual void purge(const RequestRef& to, const PurgeJobs& wanted) = 0;
  // What was counted since the start or the last reset.
  virtual StatisticsReply statistics() = 0;
  virtual void reset_statistics() = 0;
  virtual void shut_down() = 0;
  virtual std::string content_id(std::string_view bytes) = 0;
  virtual WallTime now_wall() const = 0;
};

struct Call {
  Session& session;
  std::uint32_t request;
  Services& services;

  RequestRef ref() const { return {session.id(), request}; }
  template <class Message>
  void answer(const Message& message) {
    session.answer(request, message);
  }
  void refuse(const Error& error) {
    services.count_refusal();
    answer(ErrorReply{error.code, error.detail, {}});
  }
};

}  // namespace sluice
