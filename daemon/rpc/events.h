// events.h: the change feed: what the audit says after a token, for those who would else poll.
#pragma once

#include "daemon/rpc/session.h"

namespace sluice {

// At most some hundreds of events at once; the token of the reply leads to the rest. Errors:
// invalid_argument (no token of this state: it was restored from a backup, or the token is made
// up).
Result<EventsReply> read_events(ReadContext& context, const WatchEvents& wanted);

}  // namespace sluice
