// controller_messages.h: frames of the controller -> events of the supervisor, one row a message.
#pragma once

#include <optional>
#include <string_view>

#include "agent/core/events.h"
#include "common/base/result.h"

namespace sluice::agent {

// None: the message is no event of the supervisor. Errors: protocol_error.
Result<std::optional<Event>> decode_event(std::uint16_t type, std::string_view payload);

}  // namespace sluice::agent
