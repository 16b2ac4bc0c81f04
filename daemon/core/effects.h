// effects.h: orders to the outside world. They leave only after everything changed before them is
// committed, in this order; so an answer is a promise. An effect that is `urgent` promises nothing
// and may leave at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/wire/message_codec.h"
#include "daemon/core/events.h"

namespace sluice {

struct SendReply {
  RequestRef to;
  MessageType type = MessageType::ok_reply;
  std::string payload;
};
struct SendToNode {
  std::string node;
  MessageType type = MessageType::ok_reply;
  std::string payload;
  bool urgent = false;
};
// A launch order; script and environment are named by content, the driver adds the bytes when they are
// small enough to travel inside (frame.h), else the agent fetches them.
struct SendLaunch {
  std::string node;
  LaunchOrder order;
};
struct CloseConnection {
  std::uint64_t connection = 0;
};
// The driver reserves a block of `count` ids, none below `lowest`, on disk, then feeds IdsReserved.
struct ReserveIds {
  JobId lowest;
  std::uint32_t count = 0;
};

// A mail without a body, by the site's mail program. Promises nothing: it may be lost.
struct SendMail {
  std::string to;
  std::string subject;
};

struct Trial;  // outlook.h
// When and where a job would start that was judged like a submitted one but is not kept. The driver
// plans it beside what is committed, on a thread of readers, and answers: a SubmitReply, or a
// PlanReply that has changes too.
struct Foresee {
  RequestRef to;
  std::shared_ptr<const Trial> trial;
  bool with_changes = false;
};

using Effect = std::variant<SendReply, SendToNode, SendLaunch, CloseConnection, ReserveIds,
                            SendMail, Foresee>;

class Effects {
 public:
  template <class Message>
  void reply(const RequestRef& to, const Message& message) {
    static_assert(has_codec<Message>, "its name belongs into SLUICE_ENCODED_TYPES");
    list.push_back(SendReply{to, Message::type, to_bytes(message)});
  }
  // `notes` are the lines that Slurm prints before the error itself.
  void refuse(const RequestRef& to, const Error& error, std::vector<std::string> notes = {}) {
    reply(to, ErrorReply{error.code, error.detail, std::move(notes)});
  }
  template <class Message>
  void send(const std::string& node, const Message& message, bool urgent = false) {
    static_assert(has_codec<Message>, "its name belongs into SLUICE_ENCODED_TYPES");
    list.push_back(SendToNode{node, Message::type, to_bytes(message), urgent});
  }

  std::vector<Effect> list;
};

}  // namespace sluice
