// shares_listing.h: priorities of waiting jobs and shares of associations, as rows of listings,
// from a snapshot. Pure reads; runs on reader threads.
#pragma once

#include "common/wire/messages_priority.h"
#include "daemon/core/state.h"

namespace sluice {

// Jobs that wait, are not held and could start by their time; one row a partition of their list.
PrioritiesReply list_priorities(const Snapshot& snapshot, const QueryPriorities& query,
                                WallTime as_of);
// Accounts by name, in each its users before its accounts.
SharesReply list_shares(const Snapshot& snapshot, const QueryShares& query, WallTime as_of);

}  // namespace sluice
