// message_table.h: THE table of messages: who may send each, how large it may be, and what handles it.
#pragma once

#include <cstdint>
#include <string_view>

#include "daemon/rpc/session.h"

namespace sluice {

enum class Role {
  user,        // any local or vouched user; the handler checks whose jobs are touched
  admin,       // root or SlurmUser, from a place where they count
  node,        // an agent that proved its key; first message: register_node
  agent,       // an agent that was accepted, of a node or of a login host
  registered,  // a node that was accepted
};

struct MessageRow {
  MessageType type;
  const char* name;
  Role role;
  std::uint32_t payload_bytes_max;
  Result<void> (*handle)(Call& call, std::string_view payload);
};

const MessageRow* find_message(std::uint16_t type);

// Checks role and size, decodes, handles. An error means the peer broke the protocol: close it.
// What is wrong with a well-formed request is answered with an ErrorReply instead.
Result<void> dispatch(Call& call, std::uint16_t type, std::string_view payload);

}  // namespace sluice
