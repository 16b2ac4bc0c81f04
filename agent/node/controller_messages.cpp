// controller_messages.cpp: THE rows.
#include "agent/node/controller_messages.h"

#include "common/wire/codec.h"

namespace sluice::agent {
namespace {

struct EventRow {
  MessageType type;
  Result<std::optional<Event>> (*decode)(std::string_view payload);
};

template <class Message>
Result<std::optional<Event>> decode(std::string_view payload) {
  return std::optional<Event>{TRY(from_bytes<Message>(payload))};
}

template <class Message>
constexpr EventRow row() {
  return {Message::type, decode<Message>};
}

constexpr EventRow event_rows[] = {row<NodeAccepted>(),  row<HeartbeatReply>(), row<LaunchRun>(),
                                   row<KillRun>(),       row<SignalRun>(),      row<SetTimeLimit>(),
                                   row<ExitCommitted>(), row<BlobChunk>()};

}  // namespace

Result<std::optional<Event>> decode_event(std::uint16_t type, std::string_view payload) {
  for (const EventRow& each : event_rows)
    if (static_cast<std::uint16_t>(each.type) == type) return each.decode(payload);
  return std::optional<Event>{};
}

}  // namespace sluice::agent
